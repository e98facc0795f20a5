/** Draws again only when its properties differ. */

import { Component, type ComponentType } from "preact";

export function memo<P extends object>(
  View: ComponentType<P>,
  same: (before: P, after: P) => boolean,
): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>) {
      return !same(this.props, next as P);
    }
    override render() {
      return <View {...(this.props as P)} />;
    }
  };
}
