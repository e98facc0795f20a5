/** One of a few, all visible. */

interface ChoiceProps {
  name: string;
  label: string;
  value: string;
  options: [value: string, label: string][];
  choose: (value: string) => void;
}

export function Choice({ name, label, value, options, choose }: ChoiceProps) {
  function onKey(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = options.findIndex(([each]) => each === value);
    const next = options[(at + step + options.length) % options.length];
    if (!next) return;
    choose(next[0]);
    const group = event.currentTarget as HTMLElement;
    group.querySelector<HTMLElement>(`[data-value="${next[0]}"]`)?.focus();
  }
  return (
    <div class="seg" role="radiogroup" aria-label={label} onKeyDown={onKey}>
      {options.map(([each, words]) => (
        <button
          type="button"
          role="radio"
          key={each}
          tabIndex={each === value ? 0 : -1}
          aria-checked={each === value}
          aria-pressed={each === value}
          data-value={each}
          data-testid={`${name}-${each}`}
          onClick={() => choose(each)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
