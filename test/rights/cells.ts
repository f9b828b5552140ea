import type { Selected, Selection } from './selection.ts'

/**
 * What a caller is answered at a field: `data`; `masked`, less than others see; `null`, without a word; or the code with
 * which the field itself is refused. Where nothing leads to a field, because what holds it was null or refused, there is
 * no outcome.
 */
export type Outcome = string

export type Cells = Map<string, Outcome>

export type GraphqlAnswer = {
  /** The status of the answer, where the transport has one. */
  readonly status?: number
  readonly data: unknown
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[] | undefined
    readonly extensions?: Readonly<Record<string, unknown>> | undefined
  }[]
}

/** What is to become of a field for a caller, before its value is looked at; null when nothing stands in the way. */
export type Verdict = (coordinate: string) => Outcome | null

/** What a caller without payments:risk is told in the place of a code that is kept from payers. */
const MASK = 'GENERIC_DECLINED'

/** Adds what an answer shows, field by field, to what other answers have shown: the most that a caller sees counts. */
export function note(cells: Cells, root: Selected, answer: GraphqlAnswer): void {
  visit(root, answer.data, [], (coordinate, value, path) => {
    const refusal = value === null ? codeAt(answer, path) : null
    add(cells, coordinate, refusal ?? shown(coordinate, value))
    return refusal === null
  })
}

/** The same for what another caller has been answered, under the verdicts on this one: what this caller ought to see. */
export function foretell(cells: Cells, root: Selected, answer: GraphqlAnswer, verdict: Verdict): void {
  visit(root, answer.data, [], (coordinate, value) => {
    const outcome = verdict(coordinate)
    add(cells, coordinate, outcome ?? shown(coordinate, value))
    return outcome === null || outcome === 'masked'
  })
}

/** Calls `see` for a field, and for everything below it that is there, unless `see` says that this is the end. */
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

/** The code of the error at a field or below it; one without a path is about the whole operation. */
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

/** A mask counts more than what others are shown in its place: nobody who sees everything ever sees one here. */
function rank(outcome: Outcome): number {
  const known = ['null', 'a code', 'data', 'masked'].indexOf(outcome)
  return known < 0 ? 1 : known
}
