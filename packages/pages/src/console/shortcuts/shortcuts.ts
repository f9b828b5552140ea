import { useLayoutEffect, useRef } from 'preact/hooks'
import { ofBrowser } from '../../storage.ts'
import { goTo, hrefOf, VIEWS } from '../routes/route.ts'

/** Time after `g` within which the letter of a view must follow, in milliseconds. */
const PATIENCE_MS = 1_500

const SWITCH = 'console.shortcuts'

/** Whether single-key shortcuts are enabled. Users of speech input may need to disable them. */
export function areShortcutsOn(): boolean {
  return ofBrowser.getItem(SWITCH) !== 'off'
}

/** Enables or disables single-key shortcuts for this browser. */
export function switchShortcuts(on: boolean): void {
  if (on) ofBrowser.removeItem(SWITCH)
  else ofBrowser.setItem(SWITCH, 'off')
}

/** Listens for single keys, except while the user types or a dialog is open. */
export function useShortcuts(onHelp: () => void, onSearch: () => void): void {
  const goneAt = useRef(-Infinity)
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault()
        if (document.querySelector('dialog[open]') === null) onSearch()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areShortcutsOn()) return
      if (document.querySelector('dialog[open]') !== null) return
      const isAfterG = event.timeStamp - goneAt.current < PATIENCE_MS
      goneAt.current = -Infinity
      const action = isAfterG ? actionAfterG(event.key) : actionOf(event, goneAt, onHelp)
      if (action === null) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

type Action = (() => void) | null

function actionAfterG(key: string): Action {
  const view = VIEWS.find((one) => one.key === key)
  return view === undefined ? null : () => goTo(hrefOf(view.name))
}

function actionOf(event: KeyboardEvent, goneAt: { current: number }, onHelp: () => void): Action {
  if (event.key === 'g') return () => (goneAt.current = event.timeStamp)
  if (event.key === '/') return search
  if (event.key === 'j') return () => move(1)
  if (event.key === 'k') return () => move(-1)
  if (event.key === 'x') return pick
  if (event.key === '?') return onHelp
  const button = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`)
  return button === null ? null : () => button.click()
}

/** Focuses the search field of this view, or of the payments view when this one has none. */
function search(): void {
  const field = searchField()
  if (field !== null) return field.focus()
  wishForSearch()
  goTo(hrefOf('payments'))
}

function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const now = rows.findIndex((row) => row === document.activeElement)
  const next = now === -1 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step))
  rows[next]?.focus()
}

/** Selects the row that has the focus, or takes it out of the selection. */
function pick(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.pick input')?.click()
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

let wished = false

/** Makes the next view start with the focus on its search field. */
function wishForSearch(): void {
  wished = true
}

/** Returns the search field of the current view, if it was requested since the last call. */
export function wishedSearch(): HTMLElement | null {
  const wish = wished
  wished = false
  return wish ? searchField() : null
}

/** Returns the search field of the current view, if it has one. */
function searchField(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-search]')
}
