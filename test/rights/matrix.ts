import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from './asks.ts'
import { seesEverything, type CallerKind } from './callers.ts'
import { foretell, note, type Cells, type GraphqlAnswer } from './cells.ts'
import type { Fixture } from './fixture.ts'
import { verdictOn } from './rules.ts'
import { documentFor } from './selection.ts'
import type { Line, Operation, Transport } from './transports.ts'

/** The outcomes of every caller at every field. */
export type Matrix = ReadonlyMap<CallerKind, Cells>

export type Asked = {
  readonly seen: Matrix
  /** The outcomes that every caller should have, by the schema's directives and the resolvers' own rules. */
  readonly foretold: Matrix
}

/** A connection per caller. */
export type Lines<Opened extends Line = Line> = ReadonlyMap<CallerKind, Opened>

/** Opens a connection for each caller, and closes all of them at the end. */
export async function withLines<Opened extends Line, Result>(
  { network }: Pick<Fixture, 'network'>,
  { transport, callers }: { readonly transport: Transport<Opened>; readonly callers: readonly CallerKind[] },
  use: (lines: Lines<Opened>) => Promise<Result>,
): Promise<Result> {
  const lines = new Map<CallerKind, Opened>()
  try {
    for (const caller of callers) lines.set(caller, await transport.open(network, caller))
    return await use(lines)
  } finally {
    for (const line of lines.values()) await line.close()
  }
}

/** Sends every operation as every caller: one operation after the other, all callers concurrently. */
export async function askAll(lines: Lines, asks: readonly Ask[]): Promise<Asked> {
  const answers: Answered[] = []
  for (const ask of asks)
    answers.push(
      ...(await Promise.all(
        [...lines].map(async ([caller, line]) => ({
          ask,
          caller,
          answer: await answerTo(line, operationFor(ask, caller)),
        })),
      )),
    )
  return compared(answers)
}

/** How often a refused refresh is sent again. */
const MAX_TRIES = 100

/** Returns the answer. More callers refresh at once than may wait for one of the site's reads: they ask again until they get it. */
async function answerTo(line: Line, operation: Operation): Promise<GraphqlAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await line.ask(operation)
    const isRefused = operation.query.includes('refreshPayment') && /UPSTREAM_UNAVAILABLE/.test(JSON.stringify(answer))
    if (!isRefused || tries === MAX_TRIES) return answer
    await sleep(250)
  }
}

/** Returns the operation of a caller. */
export function operationFor(ask: Ask, caller: CallerKind): Operation {
  const variables = variablesFor(ask, caller)
  return { query: documentFor({ ...ask, variables }).query, variables }
}

export type Answered = { readonly ask: Ask; readonly caller: CallerKind; readonly answer: GraphqlAnswer }

/** Returns the actual outcomes, and the expected ones, derived from the answers to the caller with all rights. */
export function compared(answers: readonly Answered[]): Asked {
  const callers = new Set(answers.map(({ caller }) => caller))
  const seen = new Map([...callers].map((caller) => [caller, new Map() as Cells]))
  const foretold = new Map([...callers].map((caller) => [caller, new Map() as Cells]))
  for (const { ask, caller, answer } of answers) {
    const { root } = documentFor(ask)
    note(cellsOf(seen, caller), root, answer)
    if (!seesEverything(caller)) continue
    for (const other of callers) foretell(cellsOf(foretold, other), root, answer, verdictOn(other, ask))
  }
  return { seen, foretold }
}

/** Returns the differences of two matrices, one line each. */
export function differences(one: Matrix, other: Matrix): string[] {
  return [...one].flatMap(([caller, cells]) => {
    const others = [...other].find(([{ name }]) => name === caller.name)?.[1] ?? new Map()
    return [...new Set([...cells.keys(), ...others.keys()])]
      .filter((field) => cells.get(field) !== others.get(field))
      .map((field) => `${caller.name}: ${field} is ${cells.get(field) ?? '·'}, not ${others.get(field) ?? '·'}`)
  })
}

function variablesFor({ variables, statusToken }: Ask, caller: CallerKind): Readonly<Record<string, unknown>> {
  return statusToken === undefined || !caller.statusToken ? variables : { ...variables, statusToken }
}

function cellsOf(matrix: Matrix, caller: CallerKind): Cells {
  const cells = matrix.get(caller)
  if (cells === undefined) throw new Error(`Nobody has asked as ${caller.name}.`)
  return cells
}
