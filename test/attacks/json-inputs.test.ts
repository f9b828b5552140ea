import { startSandbox } from 'payments-subgraph-sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { casesOf } from '../faults/rounds.ts'
import { newKey } from '../support/inputs.ts'
import { SECRETS, token } from '../support/network.ts'
import { settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { inputPlaces, type InputPlace } from './string-arguments.ts'

const PLACE = 'the-place-of-the-value'
/** Cases that the seed chooses for a run that is not full, beside those that every run has. */
const FEW = 120

const nested = (open: string, inner: string, close: string, depth: number) =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`

/** Texts of JSON that are read without an error, and that little expects. */
const JSONS: readonly string[] = [
  '1e999',
  '-1e999',
  '{"x":1e999}',
  '{"a":{"b":[-1E+400]}}',
  '[1e999]',
  '1e308',
  '1e-999',
  '-0',
  '12345678901234567890123456789012345678901234567890',
  ...[20, 1_000, 2_000, 4_000, 8_000].map((depth) => nested('{"a":', '1', '}', depth)),
  ...[20, 3_000, 10_000, 24_000].map((depth) => nested('[', '', ']', depth)),
  nested('[{"a":', '1e999', '}]', 3_000),
  '{"__proto__":{"x":1e999},"constructor":{"prototype":null},"toJSON":"x","toString":1,"then":{}}',
  '"__proto__"',
  '{"a":1,"a":1e999}',
  '{"":"","\\u0000":"\\u0000"}',
  String.raw`"\ud800"`,
  String.raw`"a\udfffb\u0000\u2028\ufeff"`,
  String.raw`{"\ud800":"\udc00"}`,
  'null',
  '[null]',
  'true',
  '{}',
  '""',
  '"Infinity"',
  '"1e999"',
  `{${Array.from({ length: 4_000 }, (_, index) => `"${index}":0`).join()}}`,
  `"${'x'.repeat(49_000)}"`,
]

/** What has ended the process before, in a free-form object. */
const FATAL = new Set(['{"x":1e999}', nested('{"a":', '1', '}', 4_000)])

type Case = { readonly place: InputPlace; readonly json: string; readonly isUsedKey: boolean }

// promise(operations): No JSON in any input of a mutation ends the process or causes a server error.
it('no JSON in any input of any mutation ends the process, or is a fault of the server', async () => {
  const places = inputPlaces()
  const all = places.flatMap((place) =>
    JSONS.flatMap((json) => [true, false].map((isUsedKey): Case => ({ place, json, isUsedKey }))),
  )
  const server = await startServer()
  const used = new Set<string>()
  const found: string[] = []
  const send = async ({ place, json, isUsedKey }: Case) => {
    if (isUsedKey && !used.has(place.document)) await server.ask(place.document, JSON.stringify(place.good))
    used.add(place.document)
    const written = JSON.stringify(place.variables(PLACE)).replace(`"${PLACE}"`, () => json)
    const fault = await server.ask(place.document, isUsedKey ? written : withNewKey(written))
    if (fault !== null) found.push(`${place.name} (${isUsedKey ? 'used' : 'new'} key): ${json.slice(0, 60)}: ${fault}`)
  }
  const always = all.filter(({ place, json }) => place.type === 'JSONObject' && FATAL.has(json))
  for (const one of [...always, ...casesOf('json inputs', all, FEW)]) await send(one)
  expect(found).toEqual([])
  expect(server.ends()).toBe(0)
}, 1_200_000)

function withNewKey(variables: string): string {
  return variables.replace(/"idempotencyKey":"[^"]*"/, `"idempotencyKey":"${newKey()}"`)
}

/** Starts the program, and starts it again whenever it ends. */
async function startServer() {
  const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook, paceMs: 1 })
  onTestFinished(() => sandbox.close())
  const env = settingsFor(sandbox, temporaryFolder())
  const authorization = `Bearer ${await token()}`
  let current = await startReady({ env })
  let ends = 0
  return {
    ends: () => ends,
    /** Sends an operation; returns what is wrong with the answer, or null. */
    async ask(query: string, variables: string): Promise<string | null> {
      const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
      const headers = { 'content-type': 'application/json', authorization }
      try {
        const response = await fetch(`${current.url}/graphql`, { method: 'POST', headers, body })
        const text = await response.text()
        // The process may end while it answers; what it has not sent by then, the next request finds.
        if (current.child.exitCode === null)
          return response.status >= 500 || text.includes('INTERNAL_SERVER_ERROR')
            ? `${response.status} ${text.slice(0, 300)}`
            : null
      } catch {
        await current.ended
      }
      ends += 1
      const { output } = current
      current = await startReady({ env })
      return `the process ends: ${output().slice(-300)}`
    },
  }
}
