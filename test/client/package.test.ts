import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const TSC = resolve('node_modules/.bin/tsc')

const APP = `import {
  ask, CreatePaymentLinkDocument, formatAmount, openCheckout, paymentLinkStore, PaymentsClientError, remaining,
  watchPayment, watchPaymentAgreement, watchPaymentEvents, watchPaymentLink, watchPayout, type Connection, type PaymentLinkView, type WatchOptions,
} from 'payments-subgraph/client'

const endpoint: WatchOptions = { url: 'https://shop.example/graphql', token: async () => 'a', webSocket: WebSocket, fetch }
export async function app(signal: AbortSignal): Promise<string> {
  const amount = { value: '1', currency: 'AUD' }
  const customer = { email: 'a@b.test', firstName: 'A', lastName: 'B' }
  const input = { idempotencyKey: 'a', reference: 'a', description: 'a', amount, customer }
  const { createPaymentLink } = await ask(CreatePaymentLinkDocument, { input }, endpoint, { signal })
  if (createPaymentLink?.__typename !== 'CreatePaymentLinkSuccess') throw new PaymentsClientError('a', 'b')
  const { link } = createPaymentLink
  for await (const { payment } of watchPaymentLink(link.id, { ...endpoint, signal })) {
    const phase: 'SUCCEEDED' | undefined = payment?.phase === 'SUCCEEDED' ? payment.phase : undefined
    if (phase !== undefined) break
  }
  const view: PaymentLinkView = paymentLinkStore(link.id, endpoint).getSnapshot()
  const connection: Connection = view.connection
  openCheckout(link.checkoutUrl, { onMessage: ({ event }) => event === 'done' })
  void [watchPayment, watchPaymentAgreement, watchPaymentEvents, watchPayout]
  return connection + formatAmount(link.requestedAmount) + String(remaining(link.expiresAt, view.serverOffsetMs))
}
`

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kit-'))
  const own = join(folder, 'node_modules/payments-subgraph')
  mkdirSync(own, { recursive: true })
  cpSync('package.json', join(own, 'package.json'))
  await run(TSC, ['-p', 'src/client/tsconfig.build.json', '--outDir', join(own, 'dist')])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'app.ts'), APP)
  return () => rmSync(folder, { recursive: true })
})

it.each(['nodenext', 'bundler'])('an app has its types, without any of ours (%s)', async (moduleResolution) => {
  const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
  const compilerOptions = {
    target: 'es2022',
    module,
    moduleResolution,
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const config = join(folder, `${moduleResolution}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  const { stdout } = await run(TSC, ['-p', config]).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

it('the package is imported as it is built', async () => {
  const code = "import * as kit from 'payments-subgraph/client'; process.stdout.write(Object.keys(kit).join())"
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
  for (const name of ['ask', 'formatAmount', 'openCheckout', 'paymentLinkStore', 'watchPaymentLink'])
    expect(stdout.split(',')).toContain(name)
})

it('names in package.json what the build writes', () => {
  const { exports, sideEffects } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>
  expect(sideEffects).toBe(false)
  expect(exports).toMatchObject({
    './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' },
  })
})
