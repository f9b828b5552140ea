import { ALL_SCOPES } from '../../src/access/caller.ts'
import { SECRETS } from '../support/app-settings.ts'
import { mutationOf } from '../support/mutations.ts'
import { startNetwork, type Answer, type AskOptions, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { REFRESH } from '../support/payments.ts'
import { hsToken } from '../unit/access/tokens.ts'
import { attemptOverHttp, attemptOverWebSocket } from './attempts.ts'
import { deliverEverything } from './callbacks.ts'
import { createCanaries, type Canaries } from './canaries.ts'
import { commandsFullOf, makeSubjects, type Subjects } from './commands.ts'
import { startPoisonedService, type PoisonedService } from './poisoned-service.ts'
import { questionsFullOf, type Question } from './questions.ts'
import { foundInColumns, type Storage } from './stored.ts'

/** The output and the data of an app after every kind of request, callback and rejection. */
export type Evidence = {
  readonly canaries: Canaries
  readonly log: string
  readonly metrics: string
  /** Top-level errors of operations, and whole answers to requests that were no operation. */
  readonly errors: string
  /** The codes and types that occurred in answers: they show what was covered. */
  readonly outcomes: ReadonlySet<string>
  readonly callbackStatuses: ReadonlySet<number>
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** Every byte of the database's files. */
  readonly bytes: string
}

type Fixture = {
  readonly storage: Storage
  readonly network: Network
  readonly service: PoisonedService
  readonly canaries: Canaries
}

const ROUTER_SECRET = 'router-secret-of-the-tests-0123456789abcdef'

/** Drives an app in which every input, header, token, secret, callback and answer of the payments API is a canary. */
export async function driveEverything(storage: Storage): Promise<Evidence> {
  const canaries = createCanaries()
  const service = await startPoisonedService(canaries)
  const network = await startNetwork({
    upstreamUrl: service.url,
    sandbox: BY_HAND,
    env: { ROUTER_SECRETS: ROUTER_SECRET, ...storage.env },
  })
  service.target = network.sandbox.origin
  learnSecrets(canaries, network)
  try {
    return await driven({ storage, network, service, canaries })
  } finally {
    await network.close()
    await service.close()
  }
}

async function driven({ storage, network, service, canaries }: Fixture): Promise<Evidence> {
  const errors: string[] = []
  const outcomes = new Set<string>()
  const token = tokenFullOf(canaries)
  const headers = headersFullOf(canaries)
  const ask = async (query: string, variables: Record<string, unknown>, options: AskOptions = { token }) => {
    const answer = await network.ask<Record<string, unknown> | null>(query, variables, { headers, ...options })
    errors.push(JSON.stringify(answer.errors ?? []))
    for (const outcome of outcomesOf(answer)) outcomes.add(outcome)
    return answer
  }
  const subjects = await makeSubjects(network, { token })
  const commands = (round: string) => commandsFullOf(canaries, subjects, round)
  const aboutThem = questionsAbout(network, subjects)

  for (const [name, input] of commands('carried out')) {
    const { data } = await ask(mutationOf(name), { input })
    const statusToken = (data?.[name] as { statusToken?: unknown } | undefined)?.statusToken
    if (typeof statusToken === 'string') canaries.learn('token of a status page', statusToken)
  }
  await withoutAnswers(network, ask, commands)
  for (const [name, input] of commands('odd')) await ask(mutationOf(name), { input: oddly(canaries, input) })
  for (const [name, input] of commands('carried out'))
    await ask(mutationOf(name), { input: { ...input, description: canaries.word('odd.description') } })
  for (const [query, variables] of [...questionsFullOf(canaries), ...aboutThem]) {
    await ask(query, variables)
    await ask(query, variables, { token: null })
  }
  for (const [name, input] of commands('refused'))
    for (const option of [null, await network.token({ scopes: [] }), `${token}x`])
      await ask(mutationOf(name), { input }, { token: option })

  const replies = await deliverEverything(network, storage, canaries)
  errors.push(...replies.map(({ headers: answered, body }) => `${JSON.stringify(answered)}${body}`))
  errors.push(...(await attemptOverHttp(network.app.url, canaries)))
  errors.push(...(await attemptOverWebSocket(network.app.url, canaries, token)))
  await network.sandbox.settle()
  await network.app.settle()

  for (const instead of refusalsOf(canaries)) {
    service.instead = instead
    const round = `${instead.status} ${instead.body.length}`
    await Promise.all([
      ...commands(round).map(([name, input]) => ask(mutationOf(name), { input })),
      ...aboutThem.map(([query, variables]) => ask(query, variables)),
    ])
  }
  service.instead = null
  await network.app.settle()

  const metrics = await (await fetch(`${network.app.url}/metrics`)).text()
  const columns = await foundInColumns(canaries, storage, network)
  const bytes = await storage.bytes(network)
  await network.stop()
  await storage.breakRows(network, canaries.word('broken row'))
  await network.restart()
  await ask('{ payments(first: 100) { nodes { id } } paymentAgreements(first: 100) { nodes { id } } }', {})
  return {
    canaries,
    log: network.log(),
    metrics,
    errors: errors.join('\n'),
    outcomes,
    callbackStatuses: new Set(replies.map(({ status }) => status)),
    columns,
    bytes,
  }
}

type AskOne = (query: string, variables: Record<string, unknown>) => Promise<Answer<Record<string, unknown> | null>>

/** Starts gateway payments without an answer: an operator finds the first, does not find the second, and leaves the third. */
async function withoutAnswers(
  { sandbox }: Network,
  ask: AskOne,
  commands: (round: string) => ReturnType<typeof commandsFullOf>,
): Promise<void> {
  const settle = `mutation S($input: SettleGatewayPaymentCreationInput!) { settleGatewayPaymentCreation(input: $input) { __typename } }`
  for (const found of [{ outcome: 'CREATED', paymentId: '987654321' }, { outcome: 'NOT_CREATED' }, null]) {
    const create = commands(`unanswered ${found?.outcome}`).find(([name]) => name === 'createGatewayPayment')
    sandbox.control.addFault({
      method: 'POST',
      path: '/v1/payment_gateways/create_payment',
      answer: { status: 500 },
      times: 1,
    })
    const query = `mutation C($input: CreateGatewayPaymentInput!) {
      createGatewayPayment(input: $input) { __typename ... on PaymentsOutcomeUnknownError { operationId } } }`
    const { data } = await ask(query, { input: create?.[1] })
    const operationId = (data?.['createGatewayPayment'] as { operationId?: string } | undefined)?.operationId
    if (found !== null) await ask(settle, { input: { operationId, ...found } })
  }
}

/** Returns queries that need an existing id: reads of the payments API, and a look-up. */
function questionsAbout({ sandbox }: Network, { link, payin, payout }: Subjects): Question[] {
  const qr = sandbox.control.bankAccounts()[0]?.qrContent
  return [
    [REFRESH, { id: link }],
    [REFRESH, { id: payin }],
    ['query Q($id: ID!) { payout(id: $id) { id transactions { payee errorMessage } } }', { id: payout }],
    ['query Q($qr: String!) { bankLookup(qrContent: $qr) { __typename } }', { qr }],
    [
      '{ accountBalances(currencies: ["AUD"]) { nodes { currency } } payouts(from: "2026-01-01", to: "2026-02-01") { totalCount } }',
      {},
    ],
    ['{ payinMethods { nodes { code name } } payinMethod(code: "kr_bank_krw") { requiredFields { name } } }', {}],
  ]
}

function learnSecrets(canaries: Canaries, { sandbox }: Network): void {
  const keys = sandbox.sites.map(({ secretKey }) => secretKey)
  for (const secret of [...Object.values(SECRETS), ROUTER_SECRET, ...keys])
    for (const form of [
      secret,
      ...(['base64', 'base64url', 'hex'] as const).map((as) => Buffer.from(secret).toString(as)),
    ])
      canaries.learn('secret of a setting', form)
}

/** Returns a token with every scope and a canary in every other claim; the token as a whole and its parts are canaries too. */
function tokenFullOf(canaries: Canaries): string {
  const claim = (name: string) => canaries.word(`claim.${name}`)
  const names = ['sub', 'jti', 'name', 'nickname', 'sid', 'azp', 'client_id']
  const token = hsToken(SECRETS.jwt, {
    ...Object.fromEntries(names.map((name) => [name, claim(name)])),
    email: canaries.email('claim.email'),
    phone_number: canaries.digits('claim.phone'),
    scope: ALL_SCOPES.join(' '),
    exp: Math.floor(Date.now() / 1000) + 600,
    [claim('a name of its own')]: { [claim('deeper')]: [claim('deepest')] },
  })
  for (const part of [token, ...token.split('.').slice(1)]) canaries.learn('token', part)
  return token
}

function headersFullOf(canaries: Canaries): Record<string, string> {
  const names = ['user-agent', 'cookie', 'referer', 'origin', 'x-forwarded-for', 'forwarded', 'x-real-ip', 'via']
  const more = [
    'x-request-id',
    'x-correlation-id',
    'traceparent',
    'tracestate',
    'baggage',
    'x-api-key',
    'accept-language',
  ]
  const others = ['apollographql-client-name', 'apollographql-client-version', 'x-router-secret', 'from', 'x-user']
  const entries = [...names, ...more, ...others].map((name) => [name, canaries.word(`header.${name}`)])
  return { ...Object.fromEntries(entries), [canaries.word('header.a name')]: canaries.word('header.of a name') }
}

/** Returns an input with each text replaced by an invalid one of two lines. Keys stay, so that each is a command of its own. */
function oddly(canaries: Canaries, value: unknown, key = 'input'): unknown {
  if (typeof value === 'string') {
    const stays = /(?:id|key)$/i.test(key) || canaries.foundIn(value).length === 0
    return stays ? value : `two lines\nwith ${canaries.word(`odd.${key}`)} <b>`
  }
  if (Array.isArray(value)) return value.map((item) => oddly(canaries, item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, oddly(canaries, part, name)]))
}

/** Returns rejections by the payments API, with canaries in every text of its own. */
function refusalsOf({ word }: Canaries): readonly { status: number; body: string }[] {
  const said = (place: string) => word(`refusal.${place}`)
  const words = { code: said('code'), message: said('message'), [said('key')]: [said('of a key')] }
  const bodies = [
    { errors: words },
    { error: said('error'), code: said('code'), message: said('message') },
    { errors: { amount: said('amount'), payer: { name: said('payer') } } },
  ].map((body) => JSON.stringify(body))
  const refused = [400, 401, 404, 422, 429].map((status, index) => ({
    status,
    body: bodies[index % bodies.length] ?? '',
  }))
  const pages = [`<html>${said('page')}</html>`, JSON.stringify({ uuid: said('uuid') })]
  return [...refused, ...pages.map((body) => ({ status: 200, body })), { status: 500, body: pages[0] ?? '' }]
}

function outcomesOf({ data, errors = [] }: Answer<Record<string, unknown> | null>): string[] {
  const types = Object.values(data ?? {}).map((value) => (value as { __typename?: unknown } | null)?.__typename)
  return [...types, ...errors.map(({ extensions }) => extensions?.['code'])].map(String)
}
