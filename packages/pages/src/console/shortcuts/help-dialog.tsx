import { Dialog } from '../pieces/dialog.tsx'
import { VIEWS } from '../routes/route.ts'
import { areShortcutsOn, switchShortcuts } from './shortcuts.ts'

const OTHERS: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['Enter', 'Open the row'],
  ['?', 'This help'],
  ['Esc', 'Close a dialog'],
]

/** The list of shortcuts, and the switch that disables them. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <table>
        <caption class="visually-hidden">Shortcuts and their actions</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {VIEWS.map(({ name, key, title }) => (
            <tr key={name}>
              <th scope="row">
                <kbd>g</kbd> <kbd>{key}</kbd>
              </th>
              <td>{title}</td>
            </tr>
          ))}
          {OTHERS.map(([key, what]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="choice">
        <input
          type="checkbox"
          defaultChecked={areShortcutsOn()}
          onChange={(event) => switchShortcuts(event.currentTarget.checked)}
        />
        Single-key shortcuts are on
      </label>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
