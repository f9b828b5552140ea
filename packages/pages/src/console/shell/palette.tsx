import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { ActionContext, type ActionName, ACTIONS } from '../actions/actions.tsx'
import { PaletteSearchDocument, type PaletteSearchQuery } from '../generated/graphql.ts'
import { meaningsOf } from '../payments/payment-filter.ts'
import { useAnswer } from '../pieces/answers.tsx'
import { Amount, Status } from '../pieces/values.tsx'
import { goTo, hrefOf, VIEWS } from '../routes/route.ts'
import { useScope, useSession } from '../session/session.ts'

/** An entry of the palette: a link to what was found, or an action. */
type Entry = {
  readonly group: string
  readonly icon: string
  readonly name: string
  readonly detail?: string
  readonly href: string
  /** The action whose drawer it opens, instead. */
  readonly action?: ActionName
  readonly end?: preact.ComponentChildren
}

/** Milliseconds between the last letter and the search. */
const PAUSE_MS = 80

/** Searches payments and links while the user types, and leads to views and actions. Escape closes it. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const text = useSettled(typed.trim())
  const mayRead = useScope('payments:read')
  const isSearched = mayRead && text !== ''
  const { data, isAsking, error } = useAnswer(PaletteSearchDocument, { text }, { pause: !isSearched, everyMs: 60_000 })
  const { signOut, claims } = useSession()
  const act = useContext(ActionContext)
  const found = isSearched ? foundIn(data, isAsking) : []
  const entries = [...found, ...elsewhere(typed.trim(), claims.scopes)]
  const at = Math.min(chosen, entries.length - 1)
  // A layout effect: the letter after Ctrl K is typed into it.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])

  const open = (entry: Entry | undefined, isNewTab: boolean) => {
    if (entry === undefined || (entry.action !== undefined && entry.end !== undefined)) return
    if (isNewTab && entry.action === undefined) window.open(entry.href)
    else {
      onClose()
      if (entry.action !== undefined) act(entry.action)
      else if (entry.href === '') signOut()
      else goTo(entry.href)
    }
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen(Math.max(0, Math.min(entries.length - 1, at + step)))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(entries[at], event.ctrlKey || event.metaKey)
    }
  }
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or jump to"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="ask">
        <Icon name="search" />
        <input
          aria-label="Search or jump to"
          placeholder="Reference, id, amount, last four, e-mail or view"
          role="combobox"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-found`}
          aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <div class="found" id={`${id}-found`} role="listbox" aria-label="Results" aria-busy={isSearched && isAsking}>
        {[...new Set(entries.map(({ group }) => group))].map((group) => (
          <div key={group} role="group" aria-label={group}>
            <p class="head" aria-hidden="true">
              {group}
            </p>
            {entries.map(
              (entry, index) =>
                entry.group === group && (
                  <div
                    key={`${entry.group} ${entry.name}`}
                    id={`${id}-${index}`}
                    role="option"
                    aria-selected={index === at}
                    onClick={(event) => open(entry, event.ctrlKey || event.metaKey)}
                  >
                    <Icon name={entry.icon} />
                    <span class="cut">
                      <span>{entry.name}</span> <span class="faint wide-only">{entry.detail}</span>
                    </span>
                    <span class="push row">{entry.end}</span>
                  </div>
                ),
            )}
          </div>
        ))}
      </div>
      <footer>
        <span role="status">
          {isSearched &&
            error === undefined &&
            !isAsking &&
            found.length === 0 &&
            `Nothing begins or ends with “${text}”.`}
          {isSearched && error !== undefined && 'The search failed.'}
        </span>
        <span class="push wide-only">Enter opens, Ctrl Enter in a new tab</span>
      </footer>
    </dialog>
  )
}

/** Returns a text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text])
  return settled
}

/** Returns what a search has found; nothing while the answer is that of an earlier text. */
function foundIn(data: PaletteSearchQuery | undefined, isAsking: boolean): Entry[] {
  if (isAsking) return []
  return (data?.paymentSearch?.matches ?? []).flatMap(({ payment, link }): Entry[] => {
    if (payment !== null)
      return [
        {
          group: 'Payments',
          icon: 'payments',
          name: payment.reference ?? payment.link?.reference ?? payment.id,
          detail: payment.id,
          href: hrefOf('payments', payment.id),
          end: (
            <>
              <Amount of={payment.amount} />
              <Status kind="PayinStatus" of={payment.status} raw={payment.statusRaw} />
            </>
          ),
        },
      ]
    if (link === null) return []
    const end = (
      <>
        <Amount of={link.requestedAmount} />
        <Status kind="PaymentLinkState" of={link.state} />
      </>
    )
    return [{ group: 'Links', icon: 'links', name: link.reference, href: hrefOf('links', link.id), end }]
  })
}

/** Returns the views whose titles have a word that begins with the text, and what can be done with it. */
function elsewhere(text: string, scopes: ReadonlySet<string>): Entry[] {
  const begins = (title: string) => ` ${title.toLowerCase()}`.includes(` ${text.toLowerCase()}`)
  const views = VIEWS.filter(({ title }) => begins(title)).map(({ name, title, icon, key }) => ({
    group: 'Views',
    icon,
    name: title,
    href: hrefOf(name),
    end: <kbd>g {key}</kbd>,
  }))
  const all = { group: 'Actions', icon: 'search', name: `Search all payments for “${text}”` }
  const mayRead = scopes.has('payments:read')
  const search = text !== '' && mayRead ? [{ ...all, href: hrefOf('payments', null, { q: text }) }] : []
  const filters = (mayRead ? meaningsOf(text) : []).map(({ name, params }) => ({
    group: 'Filters',
    icon: 'payments',
    name: `Payments: ${name}`,
    href: hrefOf('payments', null, params),
  }))
  const signOut = begins('Sign out') ? [{ group: 'Actions', icon: 'lock', name: 'Sign out', href: '' }] : []
  return [...filters, ...views, ...actionsFor(text, scopes), ...search, ...signOut]
}

/** Returns the actions whose titles have a word that begins with the text; one without its scope says so, and opens nothing. */
function actionsFor(text: string, scopes: ReadonlySet<string>): Entry[] {
  const found = ACTIONS.filter(({ title }) => ` ${title.toLowerCase()}`.includes(` ${text.toLowerCase()}`))
  return found.map(({ name, title, icon, scope }) => {
    const entry = { group: 'Actions', icon, name: title, href: '', action: name }
    return scopes.has(scope) ? entry : Object.assign(entry, { end: <span class="small faint">lacks {scope}</span> })
  })
}
