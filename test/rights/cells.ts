import type { Selected, Selection } from './selection.ts'

/**
 * A caller's result for a field: `data`; `masked`, less than others receive; `null`, without an error; or the code of the field's own
 * error. If the parent of a field is null or rejected, there is no outcome.
 */
export type Outcome = string

export type Cells = Map<string, Outcome>

export type GraphqlAnswer = {
  /** The status of the answer, if the transport has one. */
  readonly status?: number
  readonly data: unknown
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[] | undefined
    readonly extensions?: Readonly<Record<string, unknown>> | undefined
  }[]
}

/** Returns the expected outcome of a field for a caller regardless of its value; null if the value decides. */
export type Verdict = (coordinate: string) => Outcome | null

/** The verdict on a list of which a caller is shown no row. */
export const EMPTY: Outcome = 'empty'

/** Replaces codes that are hidden from payers, for callers without payments:risk. */
const MASK = 'GENERIC_DECLINED'

/** Adds the outcomes of an answer's fields to those of earlier answers: the outcome that shows the most counts. */
export function note(cells: Cells, root: Selected, answer: GraphqlAnswer): void {
  visit(root, answer.data, [], (coordinate, value, path) => {
    const refusal = value === null ? codeAt(answer, path) : null
    add(cells, coordinate, refusal ?? shown(coordinate, value))
    return refusal === null
  })
}

/** Adds the outcomes that a caller should receive, from another caller's answer and the verdicts on this caller. */
export function foretell(cells: Cells, root: Selected, answer: GraphqlAnswer, verdict: Verdict): void {
  visit(root, answer.data, [], (coordinate, value) => {
    const outcome = verdict(coordinate)
    add(cells, coordinate, outcome === EMPTY ? 'data' : (outcome ?? shown(coordinate, value)))
    return outcome === null || outcome === 'masked'
  })
}

/** Calls `see` for a field and for every existing field below it; returning false from `see` skips those below. */
function visit(
  field: Selected,
  holder: unknown,
  path: readonly (string | number)[],
  see: (coordinate: string, value: unknown, path: readonly (string | number)[]) => boolean,
): void {
  const value = (holder as Record<string, unknown> | null | undefined)?.[field.name] ?? null
  const here = [...path, field.name]
  if (!see(field.coordinate, value, here) || field.below === null) return
  for (const [item, at] of items(value, here))
    for (const child of fieldsFor(field.below, item)) visit(child, item, at, see)
}

function items(value: unknown, path: readonly (string | number)[]): [Record<string, unknown>, (string | number)[]][] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => items(item, [...path, index]))
  return [[value as Record<string, unknown>, [...path]]]
}

function fieldsFor(selection: Selection, item: Record<string, unknown>): readonly Selected[] {
  return selection.get(String(item['__typename'])) ?? []
}

function shown(coordinate: string, value: unknown): Outcome {
  if (value === null) return 'null'
  return coordinate === 'PaymentFailure.code' && value === MASK ? 'masked' : 'data'
}

/** Returns the code of the error at a field or below it; an error without a path applies to the whole operation. */
function codeAt({ errors }: GraphqlAnswer, path: readonly (string | number)[]): string | null {
  const error = errors.find(({ path: at = [] }) => {
    const common = Math.min(at.length, path.length)
    return (at.length === 0 || at.length >= path.length) && path.slice(0, common).every((part, i) => part === at[i])
  })
  if (error === undefined) return null
  const code = error.extensions?.['code']
  return typeof code === 'string' ? code : 'an error without a code'
}

function add(cells: Cells, coordinate: string, outcome: Outcome): void {
  const before = cells.get(coordinate)
  if (before === undefined || rank(outcome) > rank(before)) cells.set(coordinate, outcome)
}

/** Ranks outcomes. A mask ranks above data, because the caller with all rights never receives one here. */
function rank(outcome: Outcome): number {
  const known = ['null', 'a code', 'data', 'masked'].indexOf(outcome)
  return known < 0 ? 1 : known
}
