import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../design/icons.tsx'
import { goTo, hrefOf, useRoute, type Route } from '../routes/route.ts'
import { momentText } from './moments.tsx'
import { closePopover, Popover } from './popover.tsx'
import { wordsOf } from './values.tsx'

type Props = {
  readonly route: Route
  readonly label: string
  /** A field that filters alone: with it the others do not count. */
  readonly alone?: string
  /** The search field. */
  readonly search?: ComponentChildren
  /** The chips. */
  readonly children?: ComponentChildren
}

/** Filters that are stored in the URL: a search field, and chips, each with a popover. A choice applies at once, typed text with Enter. */
export function FilterForm({ route: { view, params }, label, alone, search, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const address = params.toString()
  // Resets the fields when the URL changes, e.g. by going back. A layout effect, so that text typed next is not lost.
  useLayoutEffect(() => form.current?.reset(), [address])
  return (
    <form
      ref={form}
      class="finder"
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        const { [alone ?? '']: only, ...filters } = filtersOf(event.currentTarget)
        goTo(hrefOf(view.name, null, only === undefined ? filters : { [alone ?? '']: only }))
      }}
      onChange={({ target, currentTarget }) => {
        if (target instanceof HTMLInputElement && target.type === 'checkbox') currentTarget.requestSubmit()
      }}
    >
      {search}
      <div class="chips">
        {children}
        {address !== '' && (
          <a class="button quiet" href={hrefOf(view.name)}>
            Clear all
          </a>
        )}
      </div>
    </form>
  )
}

type FieldProps = { readonly name: string; readonly label: string; readonly params: URLSearchParams }

/** A search field; the key `/` focuses it. */
export function SearchField({ name, label, params }: FieldProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        name={name}
        aria-label={label}
        placeholder={label}
        defaultValue={params.get(name) ?? ''}
        autocomplete="off"
        data-search
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}

type ChipProps = {
  readonly label: string
  /** What is chosen; null while the filter is not used. */
  readonly value: string | null
  /** The names of the filter in the URL. */
  readonly names: readonly string[]
  readonly children: ComponentChildren
}

/** A filter: what is chosen, a button that removes it, and the popover that changes it. */
export function Chip({ label, value, names, children }: ChipProps) {
  const route = useRoute()
  const remove = () => {
    const others = [...(route?.params ?? [])].filter(([name]) => !names.includes(name) && name !== 'after')
    if (route !== null) goTo(hrefOf(route.view.name, null, Object.fromEntries(others)))
  }
  const opener =
    value === null ? (
      <>
        <Icon name="plus" />
        <span>{label}</span>
      </>
    ) : (
      <>
        <span class="faint">{label}</span> <b>{value}</b>
        <Icon name="down" />
      </>
    )
  return (
    <span class={value === null ? 'chip add' : 'chip'}>
      <Popover label={label} openerClass="" opener={opener}>
        {children}
      </Popover>
      {value !== null && (
        <button type="button" aria-label={`Remove the filter ${label}`} onClick={remove}>
          <Icon name="close" />
        </button>
      )}
    </span>
  )
}

/** The button of a chip whose fields take typed text. */
export function ApplyButton() {
  return (
    <footer>
      <button class="button primary" onClick={(event) => closePopover(event.currentTarget)}>
        Apply
      </button>
    </footer>
  )
}

type PeriodProps = Pick<FieldProps, 'label' | 'params'> & {
  /** The names of its begin and its end in the URL. */
  readonly names?: readonly [begin: string, end: string]
}

/** Fields for a period, in the user's time zone, with the usual ones at hand. These begin with an hour. */
export function PeriodChip({ label, params, names = ['from', 'before'] }: PeriodProps) {
  const [begin, end] = names
  const [from, before] = [instantOf(params, begin), instantOf(params, end)]
  const parts = [from && `from ${momentText(Date.parse(from))}`, before && `before ${momentText(Date.parse(before))}`]
  const route = useRoute()
  const choose = (hours: number, target: Element) => {
    closePopover(target)
    const since = new Date((Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS).toISOString()
    const others = { ...Object.fromEntries(params), after: null, [end]: null, [begin]: since }
    if (route !== null) goTo(hrefOf(route.view.name, null, others))
  }
  return (
    <Chip label={label} names={names} value={parts.filter(Boolean).join(', ') || null}>
      <div class="menu">
        {PERIODS.map(([name, hours]) => (
          <button key={name} type="button" onClick={(event) => choose(hours, event.currentTarget)}>
            {name}
          </button>
        ))}
        <hr />
      </div>
      <div class="fields">
        <InstantField name={begin} label={`${label} from`} params={params} />
        <InstantField name={end} label={`${label} before`} params={params} />
      </div>
      <ApplyButton />
    </Chip>
  )
}

const HOUR_MS = 3_600_000
const PERIODS = [
  ['Last hour', 1],
  ['Last 24 hours', 24],
  ['Last 7 days', 7 * 24],
  ['Last 30 days', 30 * 24],
] as const

function InstantField({ name, label, params }: FieldProps) {
  return (
    <label class="field">
      <span class="label">{label}</span>
      <input class="input" type="datetime-local" name={name} defaultValue={localText(params.get(name))} />
    </label>
  )
}

/** A filter by typed text. */
export function TextChip({ name, label, params }: FieldProps) {
  return (
    <Chip label={label} names={[name]} value={params.get(name)}>
      <div class="fields">
        <TextField name={name} label={label} params={params} />
      </div>
      <ApplyButton />
    </Chip>
  )
}

/** A labelled field of a chip. */
export function TextField({ name, label, params }: FieldProps) {
  return (
    <label class="field">
      <span class="label">{label}</span>
      <input class="input" name={name} defaultValue={params.get(name) ?? ''} autocomplete="off" spellcheck={false} />
    </label>
  )
}

type ChoicesProps = FieldProps & {
  readonly values: readonly string[]
  /** Shows the values unchanged, e.g. codes. */
  readonly verbatim?: boolean
  /** Returns the word of a value; by default its words in small letters. */
  readonly word?: (value: string) => string
}

/** A chip with checkboxes for values; none checked means all. */
export function Choices({ name, label, params, values, verbatim = false, word = wordsOf }: ChoicesProps) {
  const chosen = chosenOf(params, name, values)
  const wordOf = verbatim ? (value: string) => value : word
  return (
    <Chip label={label} names={[name]} value={chosen.length === 0 ? null : chosen.map(wordOf).join(', ')}>
      <div class="options">
        {values.map((value) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
            <span>{wordOf(value)}</span>
          </label>
        ))}
      </div>
    </Chip>
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

/** Returns the period of a `PeriodChip` as a filter by creation. */
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
