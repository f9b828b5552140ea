import { Dialog } from '../pieces/dialog.tsx'
import { VIEWS } from '../routes/route.ts'
import { areShortcutsOn, switchShortcuts } from '../shortcuts/shortcuts.ts'

type Keys = readonly (readonly [keys: readonly string[], action: string])[]

const EVERYWHERE: Keys = [
  [['Ctrl', 'K'], 'Search or jump to'],
  [['?'], 'This list'],
  [['Esc'], 'Close'],
]
const IN_LISTS: Keys = [
  [['x'], 'Select the row'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['/'], 'Search'],
]
const IN_A_PAYMENT: Keys = [
  [['r'], 'Refund'],
  [['e'], 'Reconcile now'],
]

/** The list of keys, and the switch that disables those of one letter. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" isWide onClose={onClose}>
      <div class="two">
        <KeyList name="Go to" keys={VIEWS.map(({ key, title }) => [['g', key], title] as const)} />
        <div class="stack-5">
          <KeyList name="Everywhere" keys={EVERYWHERE} />
          <KeyList name="In lists" keys={IN_LISTS} />
          <KeyList name="In a payment" keys={IN_A_PAYMENT} />
        </div>
      </div>
      <label class="row">
        <input
          class="switch"
          type="checkbox"
          role="switch"
          defaultChecked={areShortcutsOn()}
          onChange={(event) => switchShortcuts(event.currentTarget.checked)}
        />
        <span>Single-key shortcuts are on</span>
      </label>
    </Dialog>
  )
}

function KeyList({ name, keys }: { readonly name: string; readonly keys: Keys }) {
  return (
    <section class="stack">
      <h3>{name}</h3>
      <dl class="keys-list">
        {keys.map(([pressed, action]) => (
          <div key={action}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
