import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = { readonly label: string; readonly children: (id: string) => ComponentChildren }

/** A label and its control, which must use the given id. */
export function Field({ label, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}

export type SelectProps = {
  readonly label: string
  readonly value: string
  /** The values, or pairs of a value and its display text. */
  readonly options: readonly (string | readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}

/** A labelled select. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <Field label={label}>
      {(id) => (
        <select class="select" id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map((option) => {
            const [key, text] = typeof option === 'string' ? [option, option] : option
            return (
              <option key={key} value={key}>
                {text}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}

type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly required?: boolean
  readonly pattern?: string
  readonly inputMode?: 'decimal' | 'email' | 'url'
  /** Values to choose from. */
  readonly offers?: readonly string[]
}

/** A labelled field for a line of text. */
export function TextField({ label, onInput, offers, ...rest }: TextFieldProps) {
  const list = useId()
  return (
    <Field label={label}>
      {(id) => (
        <>
          <input
            class="input"
            type="text"
            id={id}
            list={offers === undefined ? undefined : list}
            {...rest}
            onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
          />
          {offers !== undefined && (
            <datalist id={list}>
              {offers.map((offer) => (
                <option key={offer} value={offer} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}

export type NumberFieldProps = {
  readonly label: string
  readonly value: string
  readonly min: number
  readonly max: number
  readonly onInput: (value: string) => void
}

/** A labelled field for a whole number. */
export function NumberField({ label, value, min, max, onInput }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          class="input"
          id={id}
          type="number"
          required
          min={min}
          max={max}
          step={1}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  )
}
