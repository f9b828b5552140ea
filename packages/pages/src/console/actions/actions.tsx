import { createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { ENVIRONMENT } from '../pieces/head/environment.tsx'
import { useScope } from '../session/session.ts'

/** What can be done without an object that it concerns, in the palette and in the views. */
const ALL = [
  { name: 'link', title: 'New link', icon: 'plus', scope: 'payments:write' },
  { name: 'agreement', title: 'New agreement', icon: 'plus', scope: 'agreements:write' },
  { name: 'payout', title: 'New payout', icon: 'plus', scope: 'payouts:write' },
  { name: 'payout-file', title: 'Pay out by file', icon: 'download', scope: 'payouts:write' },
  { name: 'bank', title: 'Look up a bank account', icon: 'search', scope: 'banks:lookup' },
  { name: 'deposit', title: 'Simulate a deposit', icon: 'play', scope: 'sandbox:simulate' },
] as const

export type ActionName = (typeof ALL)[number]['name']

/** The actions of this environment. */
export const ACTIONS = ALL.filter(({ name }) => name !== 'deposit' || ENVIRONMENT === 'sandbox')

/** Opens the drawer of an action. */
export const ActionContext = createContext<(name: ActionName) => void>(() => {})

/** A button that opens the drawer of an action; where the scope is missing it says so. The main one of a view has the key `n`. */
export function ActionButton({ name, isMain = false }: { readonly name: ActionName; readonly isMain?: boolean }) {
  const open = useContext(ActionContext)
  const action = ACTIONS.find((one) => one.name === name)
  const mayAct = useScope(action?.scope ?? '')
  const id = useId()
  if (action === undefined) return null
  return (
    <>
      <button
        class={isMain ? 'button primary' : 'button'}
        type="button"
        aria-disabled={!mayAct}
        aria-describedby={mayAct ? undefined : id}
        data-key={isMain ? 'n' : undefined}
        onClick={() => {
          if (mayAct) open(name)
        }}
      >
        <Icon name={mayAct ? action.icon : 'lock'} />
        <span>{action.title}</span>
        {isMain && <kbd aria-hidden="true">N</kbd>}
      </button>
      {!mayAct && (
        <span class="small faint" id={id}>
          lacks <code>{action.scope}</code>
        </span>
      )}
    </>
  )
}
