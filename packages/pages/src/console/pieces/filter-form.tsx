import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { goTo, hrefOf, type Route } from '../routes/route.ts'
import { wordsOf } from './values.tsx'

type Props = {
  readonly route: Route
  readonly label: string
  /** Whether a field takes typed text, which needs a submit button. */
  readonly isTyped?: boolean
  /** The label of that button. */
  readonly action?: string
  /** Whether there is anything to clear; by default, whether the URL has any filter. */
  readonly isClearable?: boolean
  readonly children: ComponentChildren
}

/** Filters that are stored in the URL: checkboxes apply at once, typed text with Enter or the button. */
export function FilterForm({
  route: { view, params },
  label,
  isTyped = true,
  action = 'Apply',
  isClearable,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null)
  const address = params.toString()
  // Resets the fields when the URL changes, e.g. by going back. A layout effect, so that text typed next is not lost.
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
        {isTyped && <button class="primary">{action}</button>}
        {(isClearable ?? address !== '') && <a href={hrefOf(view.name)}>Clear</a>}
      </div>
    </form>
  )
}

type FieldProps = { readonly name: string; readonly label: string; readonly params: URLSearchParams }

/** A search field; the key `/` focuses it. */
export function SearchField({ name, label, params }: FieldProps) {
  return (
    <label>
      {label}
      <input type="search" name={name} defaultValue={params.get(name) ?? ''} autocomplete="off" data-search />
    </label>
  )
}

/** A field for an instant in the user's time zone. */
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
  /** Shows the values unchanged, e.g. codes. */
  readonly verbatim?: boolean
}

/** Checkboxes for values; none checked means all. */
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

/** Returns the values of an enum that a URL selects; unknown values are dropped. */
export function chosenOf<Value extends string>(
  params: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value[] {
  const chosen = params.get(name)?.split(',') ?? []
  return values.filter((value) => chosen.includes(value))
}

/** Returns the chosen values as a filter of the schema: null, which filters nothing, for none. */
export function filterOf<Value extends string>(
  params: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value[] | null {
  const chosen = chosenOf(params, name, values)
  return chosen.length === 0 ? null : chosen
}

/** Fields for a period of creation, whose filter is `madeIn`. */
export function MadeFields({ params }: { readonly params: URLSearchParams }) {
  return (
    <>
      <InstantField name="from" label="Created from" params={params} />
      <InstantField name="before" label="Created before" params={params} />
    </>
  )
}

/** Returns the period that `MadeFields` show. */
export function madeIn(params: URLSearchParams) {
  return { createdFrom: instantOf(params, 'from'), createdBefore: instantOf(params, 'before') }
}

/** Returns an instant of the URL in the schema's format; null for none. */
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

/** Returns an instant as the value of a `datetime-local` field. */
function localText(text: string | null): string {
  const at = new Date(text ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
