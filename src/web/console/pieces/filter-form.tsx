import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { goTo, hrefOf, type Route } from '../routes/route.ts'
import { wordsOf } from './status.tsx'

type Props = {
  readonly route: Route
  readonly label: string
  /** Whether something is typed, which needs a button. */
  readonly isTyped?: boolean
  readonly children: ComponentChildren
}

/** Filters that go into the address: ticks at once, and what is typed with Enter or the button. */
export function FilterForm({ route: { view, params }, label, isTyped = true, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const address = params.toString()
  // The fields follow the address, which may have been gone back to: at once, so that nothing is lost that is typed next.
  useLayoutEffect(() => form.current?.reset(), [address])
  return (
    <form
      ref={form}
      class="filters"
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        goTo(hrefOf(view.name, null, filtersOf(event.currentTarget)))
      }}
      onChange={({ target, currentTarget }) => {
        if (target instanceof HTMLInputElement && target.type === 'checkbox') currentTarget.requestSubmit()
      }}
    >
      {children}
      <div class="actions">
        {isTyped && <button class="primary">Apply</button>}
        {address !== '' && <a href={hrefOf(view.name)}>Clear</a>}
      </div>
    </form>
  )
}

type FieldProps = { readonly name: string; readonly label: string; readonly params: URLSearchParams }

/** A text to look for; the key `/` leads to it. */
export function SearchField({ name, label, params }: FieldProps) {
  return (
    <label>
      {label}
      <input type="search" name={name} defaultValue={params.get(name) ?? ''} autocomplete="off" data-search />
    </label>
  )
}

/** An instant, in the reader's own time. */
export function InstantField({ name, label, params }: FieldProps) {
  return (
    <label>
      {label}
      <input type="datetime-local" name={name} defaultValue={localText(params.get(name))} />
    </label>
  )
}

type ChoicesProps = FieldProps & {
  readonly values: readonly string[]
  /** Values that are shown as they are, such as codes. */
  readonly verbatim?: boolean
}

/** Values to choose from; none chosen means all. */
export function Choices({ name, label, params, values, verbatim = false }: ChoicesProps) {
  const chosen = chosenOf(params, name, values)
  return (
    <fieldset>
      <legend>{label}</legend>
      {values.map((value) => (
        <label key={value} class="choice">
          <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
          {verbatim ? value : wordsOf(value)}
        </label>
      ))}
    </fieldset>
  )
}

/** The values of an enum that an address has chosen; others than the known ones are left out. */
export function chosenOf<Value extends string>(
  params: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value[] {
  const chosen = params.get(name)?.split(',') ?? []
  return values.filter((value) => chosen.includes(value))
}

/** An instant of the address, as the schema takes it; null for none. */
export function instantOf(params: URLSearchParams, name: string): string | null {
  const at = new Date(params.get(name) ?? '')
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

function filtersOf(form: HTMLFormElement): Record<string, string> {
  const fields = [...form.elements].filter((field) => field instanceof HTMLInputElement)
  const filters: Record<string, string> = {}
  for (const { name, type, value, checked } of fields) {
    if (value.trim() === '' || (type === 'checkbox' && !checked)) continue
    const text = type === 'datetime-local' ? new Date(value).toISOString() : value.trim()
    filters[name] = filters[name] === undefined ? text : `${filters[name]},${text}`
  }
  return filters
}

/** What a field for local time shows of an instant. */
function localText(text: string | null): string {
  const at = new Date(text ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
