import { type CombinedError, useMutation } from '@urql/preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { TypedDocumentString } from '../generated/graphql.ts'
import { keepInSession, readKept } from '../session/session.ts'
import { documentOf, type Failure, FailureNotice, RequestFailure, useSingle } from './answers.tsx'
import { Dialog } from './dialog.tsx'
import { newKey } from './new-key.ts'

export type Field = {
  /** Its path in the input of the mutation, with dots. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'date' | 'datetime-local' | 'decimal' | 'number' | 'file' | 'password'
  readonly options?: readonly (readonly [value: string, word: string])[]
  readonly isOptional?: boolean
  readonly hint?: string
  readonly value?: string
}

type Values = Readonly<Record<string, string>>
type Success = { readonly __typename: string }

type Props<Data, Input, Result extends Success> = {
  readonly title: string
  readonly document: TypedDocumentString<Data, { input: Input }>
  readonly fields: readonly Field[]
  /** What the input has besides the fields. */
  readonly given?: Readonly<Record<string, unknown>>
  /** Whether the mutation takes no idempotency key. */
  readonly isKeyless?: boolean
  /** The verb and the object, with the amount where money moves. */
  readonly button: (values: Values) => string
  /** What is asked before it is sent; absent where nothing is lost by it. */
  readonly warning?: string
  readonly resultOf: (data: Data) => Result | null | undefined
  readonly onClose: () => void
  /** What is shown above the fields. */
  readonly about?: ComponentChildren
  /** What is shown after success. */
  readonly children: (result: Exclude<Result, { readonly code: unknown }>) => ComponentChildren
}

/** Failures after which it may have been done, or may still be in progress. */
const UNSETTLED = new Set(['OUTCOME_UNKNOWN', 'IDEMPOTENCY_CONFLICT'])

/**
 * Asks for the input of a mutation, and sends it once: a retry after an unknown outcome has the same key and the same input. A failure is
 * shown at the field that it names.
 */
export function CommandDrawer<Data, Input, Result extends Success>(props: Props<Data, Input, Result>) {
  const { title, document, fields, given = {}, isKeyless = false, button, warning, resultOf, onClose } = props
  const kept = `command.${title}`
  const earlier = useRef(readKept(kept)).current
  const key = useRef(typeof earlier === 'string' ? earlier : newKey())
  const [isRetry, setRetry] = useState(typeof earlier === 'string')
  const [values, setValues] = useState<Values>({})
  const [isConfirming, setConfirming] = useState(false)
  const [result, setResult] = useState<Result | Failure | 'unknown' | null>(null)
  const [{ error }, execute] = useMutation(documentOf(document))
  const failure = result !== null && result !== 'unknown' && 'code' in result ? result : null
  const isUnknown = result === 'unknown' || (failure !== null && UNSETTLED.has(failure.code) && failure.retryable)
  const isDone = result !== null && result !== 'unknown' && failure === null
  const placed = fields.map((field) => problemsAt(field, failure))
  const rest = (failure?.problems ?? []).filter((problem) => !placed.some((problems) => problems.includes(problem)))

  const [isBusy, send] = useSingle(async (filled: Values) => {
    const id = isKeyless ? {} : { idempotencyKey: key.current }
    if (!isKeyless) keepInSession(kept, key.current)
    const { data, error: fault } = await execute({ input: { ...inputOf(fields, filled, given), ...id } as Input })
    const outcome = data === undefined || data === null ? null : resultOf(data)
    const answer = outcome ?? (data === undefined ? refusalOf(fault) : null) ?? 'unknown'
    const isOpen = answer === 'unknown' || ('code' in answer && UNSETTLED.has(answer.code))
    if (!isOpen) {
      keepInSession(kept, null)
      setRetry(false)
      key.current = newKey()
      setConfirming(false)
    }
    setResult(answer)
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!isBusy) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [isBusy])
  const isLocked = isConfirming || isUnknown || isBusy
  const submit = async (of: HTMLFormElement) => {
    // Locked fields are disabled, and no longer in the form.
    if (isLocked) return send(values)
    const filled = await valuesOf(of, fields)
    setValues(filled)
    if (warning === undefined) send(filled)
    else setConfirming(true)
  }

  return (
    <Dialog title={title} isDrawer isBusy={isBusy} onClose={onClose}>
      {isDone ? (
        <>
          <div role="status">{props.children(result as Exclude<Result, { readonly code: unknown }>)}</div>
          <div class="actions">
            <button class="button" type="button" onClick={onClose}>
              Close
            </button>
          </div>
        </>
      ) : (
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault()
            void submit(event.currentTarget)
          }}
        >
          {props.about}
          {isRetry && !isUnknown && (
            <p class="note-block look">
              The outcome of the last one is unknown. Enter the same again to learn it: nothing is done twice.{' '}
              <button
                class="button"
                type="button"
                onClick={() => {
                  key.current = newKey()
                  keepInSession(kept, null)
                  setRetry(false)
                }}
              >
                Begin a new one
              </button>
            </p>
          )}
          <fieldset class="fields bare" disabled={isLocked}>
            {fields.map((field, index) => (
              <Entry key={field.name} field={field} problems={placed[index] ?? []} />
            ))}
          </fieldset>
          {!isBusy && failure === null && <RequestFailure error={error} />}
          {failure !== null && !isBusy && (placed.every(({ length }) => length === 0) || rest.length > 0) && (
            <FailureNotice failure={{ ...failure, problems: rest }} />
          )}
          {isUnknown && !isBusy && (
            <p class="note-block look">It was sent, but its outcome is unknown. A retry does nothing twice.</p>
          )}
          {isConfirming && !isUnknown && <p class="note-block look">{warning}</p>}
          <div class="actions">
            <button class="button primary" aria-busy={isBusy} disabled={isBusy}>
              {isUnknown
                ? 'Retry with the same key'
                : warning !== undefined && !isConfirming
                  ? 'Continue'
                  : button(values)}
            </button>
            {isConfirming && !isUnknown && (
              <button class="button" type="button" disabled={isBusy} onClick={() => setConfirming(false)}>
                Back
              </button>
            )}
            <button class="button" type="button" disabled={isBusy} onClick={onClose}>
              Close
            </button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

type Problems = NonNullable<Failure['problems']>

/** Returns the failure of a request whose variables were refused, so that nothing was executed; the errors name the field in their text. */
function refusalOf(error: CombinedError | undefined): Failure | null {
  if (error?.graphQLErrors.some(({ extensions }) => extensions['code'] === 'BAD_USER_INPUT') !== true) return null
  const problems = error.graphQLErrors.map(({ message }) => {
    const [, at = ''] = /at "input\.([^"]+)"/.exec(message) ?? []
    return { path: at.split(/[.[\]]+/).filter(Boolean), message: message.slice(message.lastIndexOf('; ') + 1).trim() }
  })
  return { code: 'INVALID_INPUT', message: 'The input is invalid; nothing was sent.', retryable: false, problems }
}

function Entry({ field, problems }: { readonly field: Field; readonly problems: Problems }) {
  const { name, label, type = 'text', options, isOptional = false, hint, value } = field
  const id = useId()
  // Preact types the role of each type; none is given here.
  const typed = { type: type === 'decimal' ? 'text' : type } as { readonly type: 'text' }
  const shared = {
    id,
    name,
    required: !isOptional,
    'aria-invalid': problems.length > 0,
    'aria-describedby': `${id}-hint ${id}-problem`,
  }
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> (optional)</span>}
      </label>
      {options === undefined ? (
        <input
          {...shared}
          class="input"
          {...typed}
          inputMode={type === 'decimal' ? 'decimal' : undefined}
          autocomplete="off"
          defaultValue={value ?? ''}
        />
      ) : (
        <select {...shared} class="select" defaultValue={value ?? ''}>
          {(isOptional || value === undefined) && <option value="">{isOptional ? '–' : 'Choose one'}</option>}
          {options.map(([option, word]) => (
            <option key={option} value={option}>
              {word}
            </option>
          ))}
        </select>
      )}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="problem" id={`${id}-problem`} role="alert">
        {problems.map(({ path, message }) => [...path.slice(name.split('.').length), message].join(' ')).join('; ')}
      </p>
    </div>
  )
}

/** Returns the problems of a failure that name a field, or a part of it, or the part of the input that it begins. */
function problemsAt({ name }: Field, failure: Failure | null): Problems {
  return (failure?.problems ?? []).filter(({ path }) => path.length > 0 && `${path.join('.')}.`.startsWith(`${name}.`))
}

/** Returns the input that fields make with what is given: each at its path, where a number is a place in a list; empty ones are absent. */
function inputOf(fields: readonly Field[], values: Values, given: Readonly<Record<string, unknown>>) {
  const input: Record<string, unknown> = structuredClone(given)
  for (const { name, type } of fields) {
    const text = values[name] ?? ''
    if (text === '' && type !== 'file') continue
    const steps = name.split('.')
    let at = input
    for (const [index, step] of steps.slice(0, -1).entries())
      at = (at[step] ??= /^\d+$/.test(steps[index + 1] ?? '') ? [] : {}) as Record<string, unknown>
    at[steps.at(-1) ?? ''] =
      type === 'datetime-local' ? new Date(text).toISOString() : type === 'number' ? Number(text) : plain(text, type)
  }
  return input
}

/** Returns what was typed; an amount that was typed with a decimal comma with a point. */
function plain(text: string, type: Field['type']): string {
  return type === 'decimal' && /^\d+,\d{1,2}$/.test(text) ? text.replace(',', '.') : text
}

async function valuesOf(form: HTMLFormElement, fields: readonly Field[]): Promise<Values> {
  const data = new FormData(form)
  const entries = fields.map(async ({ name }) => {
    const value = data.get(name)
    return [name, value instanceof File ? await value.text() : (value ?? '').trim()] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
