import { setTimeout as sleep } from 'node:timers/promises'
import { type Document, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { ask, createLink, ScenarioError, send, trigger } from './trigger.ts'

const name = z.string().regex(/^\w{1,64}$/, 'must be a name of letters and digits')
const details = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({})

const step = z.union(
  [
    z.strictObject({ create: z.literal('link'), as: name, set: details }),
    z.strictObject({ trigger: z.string(), on: name, set: details }),
    z.strictObject({ advance: z.number().positive() }),
    z.strictObject({ wait: z.number().positive().max(60_000) }),
    z.strictObject({
      expect: z.strictObject({
        of: name,
        status: z.string().optional(),
        failure_code: z.string().optional(),
        webhooks: z.int().min(0).optional(),
        delivered: z.boolean().optional(),
      }),
    }),
  ],
  'must be one of create, trigger, advance, wait and expect, with what belongs to it',
)

const scenario = z.strictObject({ name: z.string(), steps: z.array(step).min(1) })

type Expectation = Extract<z.output<typeof step>, { expect: object }>['expect']

export type ScenarioOptions = {
  /** Origin of the emulator, such as http://127.0.0.1:4010. */
  readonly origin: string
  /** Called before each step, with its number and its JSON. */
  readonly onStep?: (number: number, step: string) => void
  /** Ids of objects that exist before the scenario, by the names that it uses. */
  readonly objects?: Readonly<Record<string, string>>
}

/**
 * Runs the scenario of a YAML text against an emulator, step by step. Returns the ids of its objects by name. Throws `ScenarioError`, which names the
 * step, if the text is invalid, a step is refused, or an expectation is not met.
 */
export async function runScenario(
  text: string,
  { origin, onStep = () => {}, objects = {} }: ScenarioOptions,
): Promise<Readonly<Record<string, string>>> {
  const { steps } = scenarioIn(text)
  const ids: Record<string, string> = { ...objects }
  const idOf = (object: string): string => {
    const id = ids[object]
    if (id === undefined) throw new ScenarioError(`nothing was created as ${object}`)
    return id
  }
  for (const [index, one] of steps.entries()) {
    onStep(index + 1, JSON.stringify(one))
    try {
      if ('create' in one) ids[one.as] = await createLink(origin, one.set)
      else if ('trigger' in one) await trigger(one.trigger, { origin, id: idOf(one.on), set: one.set })
      else if ('advance' in one) await send(origin, '/sandbox/clock', { advanceSeconds: one.advance })
      else if ('wait' in one) await sleep(one.wait)
      else await check(origin, idOf(one.expect.of), one.expect)
    } catch (error) {
      if (error instanceof ScenarioError) throw new ScenarioError(`Step ${index + 1}: ${error.message}`)
      throw error
    }
  }
  return ids
}

function scenarioIn(text: string): z.output<typeof scenario> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [fault] = document.errors
  if (fault !== undefined) throw new ScenarioError(`The scenario is not YAML: ${fault.message.split('\n', 1)[0]}`)
  const parsed = scenario.safeParse(valueOf(document))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (issue === undefined) throw parsed.error
  const node = document.getIn(issue.path, true)
  const { line } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0)
  // Of the kinds of steps, the one that the step nearly is.
  const nearest = issue.code === 'invalid_union' ? issue.errors.find(({ length }) => length === 1)?.[0] : undefined
  const place = [...issue.path, ...(nearest?.path ?? [])].join('.')
  throw new ScenarioError(`The scenario is invalid at line ${line || 1}, ${place}: ${(nearest ?? issue).message}`)
}

/** Returns the value of a document. Throws `ScenarioError` if its aliases cannot be resolved. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new ScenarioError(`The scenario is not YAML: ${error instanceof Error ? error.message : ''}`)
  }
}

const state = z.object({
  links: z.array(z.looseObject({ uuid: z.string(), status: z.string(), errorCode: z.string().nullable() })),
})
const webhooks = z.object({ records: z.array(z.looseObject({ subject: z.string(), outcome: z.string() })) })

async function check(origin: string, id: string, expected: Expectation): Promise<void> {
  const found = state.parse(await ask(origin, `/sandbox/state?search=${encodeURIComponent(id)}`)).links[0]
  const sent = webhooks
    .parse(await ask(origin, `/sandbox/webhooks?limit=1000`))
    .records.filter((one) => one.subject === id)
  const actual = {
    status: found?.status,
    failure_code: found?.errorCode ?? undefined,
    webhooks: sent.length,
    delivered: sent.every(({ outcome }) => outcome === 'delivered'),
  }
  for (const [field, value] of Object.entries(expected)) {
    if (field === 'of' || value === undefined) continue
    const is = actual[field as keyof typeof actual]
    if (is !== value) throw new ScenarioError(`${field} of ${expected.of} is ${String(is)}, not ${String(value)}`)
  }
}
