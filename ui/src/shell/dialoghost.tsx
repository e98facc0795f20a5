/** Where the dialog that a part has opened is shown. */

import { useScreen } from "../parts/context";

export function DialogHost() {
  const { dialog } = useScreen();
  const View = dialog.value;
  if (!View) return null;
  return (
    <View
      close={() => {
        if (dialog.peek() === View) dialog.value = null;
      }}
    />
  );
}
