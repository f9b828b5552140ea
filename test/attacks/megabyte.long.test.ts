import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { bearerToken } from '../../src/access/caller.ts'
import { createTokenVerifier } from '../../src/access/verify-token.ts'
import { checkDeposit } from '../../src/domain/accounts/deposit-rules.ts'
import { checkVietQr } from '../../src/domain/accounts/vietqr.ts'
import { agreementRequestProblems, amendRequestProblems } from '../../src/domain/agreements/agreement-rules.ts'
import { emailProblem, personNameProblem, textProblem } from '../../src/domain/field-problems.ts'
import { gatewayRequestProblems } from '../../src/domain/gateway/gateway-payment.ts'
import { parseMethodCode, parseFieldDescriptor } from '../../src/domain/methods/payin-method.ts'
import { amountProblem, decimalFromText } from '../../src/domain/money/money.ts'
import { payinRequestProblems } from '../../src/domain/payments/direct-payin.ts'
import { textsFor } from '../../src/domain/payments/failures/failure-messages.ts'
import { parseEventId } from '../../src/domain/payments/payment-event.ts'
import { linkRequestProblems } from '../../src/domain/payments/payment-link.ts'
import { payoutRequestProblems } from '../../src/domain/payouts/payout-rules.ts'
import { createScalars } from '../../src/graphql/schema/scalars.ts'
import { peerName, createRouterCheck, connectionToken } from '../../src/http/server/client-caller.ts'
import { createOrigins } from '../../src/http/server/direct-answers.ts'
import { createCursorCodec } from '../../src/keys/cursor.ts'
import { callbackKeyOf, readStatusToken } from '../../src/keys/derived-secrets.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import { parseExactJson, type ExactJson } from '../../src/lib/exact-json.ts'
import { allowedFields } from '../../src/observability/logger.ts'
import { maskedAlias, maskedNumber, safeUrl } from '../../src/upstream/wire/values/readers.ts'
import { readAgreementReport } from '../../src/upstream/wire/wire-agreement.ts'
import { readPaymentReport } from '../../src/upstream/wire/wire-payment.ts'
import { readPayoutReport } from '../../src/upstream/wire/wire-payout.ts'
import { looksSigned, verify } from '../../src/webhooks/signature.ts'
import { fixture } from '../fixtures/upstream/read.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { agreementInput, amendmentInput, gatewayInput, payinInput, payoutInput } from '../support/inputs.ts'
import { linkInput } from '../support/operations.ts'
import { ringOf } from '../unit/keys/rings.ts'
import { withEachText } from './every-text.ts'

const MEGABYTE = 1024 * 1024
/** Linear work takes a few milliseconds, on a slow machine up to 60. A pattern that backtracks takes seconds on any machine. */
const LONGEST_MS = 250
/** The best of these tries counts: the first one includes compilation, any can include a garbage collection. */
const TRIES = 5

/** Texts that make a careless pattern backtrack: long runs that nearly match, and fail at their end. */
const TEXTS: Readonly<Record<string, string>> = {
  digits: '9'.repeat(MEGABYTE),
  'digits and a letter': `${'1'.repeat(MEGABYTE)}x`,
  zeros: `${'0'.repeat(MEGABYTE)}1`,
  dots: '.'.repeat(MEGABYTE),
  'digits and dots': '1.'.repeat(MEGABYTE / 2),
  'a sign and an exponent': `-${'1'.repeat(MEGABYTE)}e${'9'.repeat(99)}`,
  letters: `${'a'.repeat(MEGABYTE)}@`,
  'a mailbox of many domains': `a@${'a.'.repeat(MEGABYTE / 2)}@`,
  'many at signs': '@'.repeat(MEGABYTE),
  blanks: `${' '.repeat(MEGABYTE)}x`,
  'a text between blanks': `${' '.repeat(MEGABYTE / 2)}x${' '.repeat(MEGABYTE / 2)}y`,
  'line ends': '\r\n'.repeat(MEGABYTE / 2),
  'an address of many slashes': `https://${'/'.repeat(MEGABYTE)}`,
  'an address of many names': `https://${'a.'.repeat(MEGABYTE / 2)}`,
  'an address with many escapes': `https://a/${'%41'.repeat(MEGABYTE / 3)}`,
  'an address with much before the at': `https://${'a:'.repeat(MEGABYTE / 2)}@b`,
  hyphens: `2030-${'-'.repeat(MEGABYTE)}`,
  'a date of many fractions': `2030-01-31T00:00:00.${'0'.repeat(MEGABYTE)}`,
  'a bearer of blanks': `Bearer ${' '.repeat(MEGABYTE)}\n`,
  'a bearer of equals signs': `Bearer a${'='.repeat(MEGABYTE)}!`,
  'three parts': `${'a'.repeat(MEGABYTE / 3)}.${'b'.repeat(MEGABYTE / 3)}.${'c'.repeat(MEGABYTE / 3)}`,
  hex: `sha256=${'0'.repeat(MEGABYTE)}`,
  underlines: '_'.repeat(MEGABYTE),
  'a method of many words': 'au_'.repeat(MEGABYTE / 3),
  colons: ':'.repeat(MEGABYTE),
  kana: 'が'.repeat(MEGABYTE / 3),
  'marks without a letter': '\u0301'.repeat(MEGABYTE / 2),
  'halves of letters': '\ud800'.repeat(MEGABYTE / 2),
  'open brackets': '['.repeat(MEGABYTE),
  'open objects': '{"a":'.repeat(MEGABYTE / 5),
  'a quote without an end': `"${'\\u0041'.repeat(MEGABYTE / 6)}`,
  backslashes: '\\'.repeat(MEGABYTE),
  'places of a stack': '    at x (file:///a:1:1)\n'.repeat(MEGABYTE / 26),
}

const ring = ringOf('a')
const cursors = createCursorCodec(ring, 'log')
const scalars = createScalars({ production: false })
const isRouter = createRouterCheck({ kind: 'guarded', secrets: [new Secret('router-secret-of-the-tests')] })
const { isAllowed } = createOrigins(
  { publicUrl: 'https://pay.test', allowedOrigins: ['https://shop.example.test'] },
  { warn: () => {} },
)
const tokens = createTokenVerifier({ kind: 'secret', secret: new Secret('s'.repeat(32)), issuer: null, audience: null })
const error = (text: string) => Object.assign(new Error(text), { name: text, code: text, stack: text })

/** Everything that parses text from outside. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    Object.values(scalars).map((scalar) => [`the scalar ${scalar.name}`, (text: string) => scalar.parseValue(text)]),
  ),
  // The body of a webhook is not longer.
  'exact JSON': (text) => parseExactJson(text.slice(0, 64 * 1024)),
  'a text': (text) => textProblem(text, { longest: 2 * MEGABYTE }, []),
  'an e-mail address': emailProblem,
  'a name': personNameProblem,
  'an amount': (text) => amountProblem({ value: text, currency: 'AUD' }),
  'a decimal of the payments API': decimalFromText,
  'a method code': parseMethodCode,
  'a field descriptor': (text) => parseFieldDescriptor('name', text),
  'a QR payload': checkVietQr,
  'a locale': textsFor,
  'an event id': parseEventId,
  'a cursor': (text) => cursors.decode('log', text),
  'a status token': (text) => readStatusToken(ring, text, new Date()),
  'an Authorization header': bearerToken,
  'a client token': (text) => void tokens.verify(text).catch(() => null),
  'a token among the parameters of a connection': (text) => connectionToken({ token: text }, {}),
  'the Authorization header of a webhook': (text) => callbackKeyOf(ring, 'payment', text, text),
  'a signature': (text) => [verify(Buffer.of(), text, ['secret']), looksSigned(text)],
  "the router's secret": (text) => isRouter({ socket: new Socket(), headers: { 'x-router-secret': text } }),
  'an origin': (text) => isAllowed({ headers: { origin: text, host: text } }),
  'the address of a peer': peerName,
  'a masked number': maskedNumber,
  'a masked alias': maskedAlias,
  'an address of the payments API': safeUrl,
  'a line of the log': (text) => allowedFields({ ref: text, path: text, url: text, err: error(text) }),
}

/** Checks of whole requests, and parsers of whole bodies: each string in them is attacked. */
const WHOLES: Readonly<Record<string, [thing: unknown, read: (thing: never) => unknown]>> = {
  'a link': [linkInput(), linkRequestProblems],
  'a payin': [payinInput(), (input) => payinRequestProblems(input, null)],
  'an agreement': [agreementInput(), agreementRequestProblems],
  'an amendment': [amendmentInput('agreement-1'), amendRequestProblems],
  'a payout': [payoutInput(), (input) => payoutRequestProblems(input, null, new Date())],
  'a gateway payment': [gatewayInput(), gatewayRequestProblems],
  'a deposit': [
    { accountNumber: '1', amount: { value: '1', currency: 'JPY' }, remitterName: 'a', remarks: 'a' },
    checkDeposit,
  ],
  'the body of a payment': [fixture('payment-flat-failed'), readPaymentReport],
  'the body of a payment of a link': [fixture('link-nested-newer'), readPaymentReport],
  'the body of an agreement': [fixture('agreement-created'), readAgreementReport],
  'the body of a payout': [fixture('payout'), (json: ExactJson) => readPayoutReport(json)],
}

/** Returns the CPU time of the best of a few tries, in milliseconds. Only work that takes too long is tried again. */
function fastest(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < TRIES && best >= LONGEST_MS; turn += 1) {
    const begun = cpuTime()
    try {
      work()
    } catch {
      // A rejection is a valid result; only its time counts.
    }
    best = Math.min(best, cpuTime() - begun)
  }
  return best
}

describe('a megabyte is read in linear time', () => {
  it.each(Object.entries(READERS))('as %s', (_what, read) => {
    const slow = Object.entries(TEXTS).map(([name, text]) => [name, fastest(() => read(text))] as const)
    expect(slow.filter(([, took]) => took >= LONGEST_MS)).toEqual([])
  })

  it.each(Object.entries(WHOLES))(
    'in each place of %s',
    (_what, [thing, read]) => {
      const slow = Object.entries(TEXTS).flatMap(([name, text]) =>
        withEachText(thing, text).map(
          ({ path, thing: hostile }) => [`${path}: ${name}`, fastest(() => read(hostile as never))] as const,
        ),
      )
      expect(slow.length).toBeGreaterThan(0)
      expect(slow.filter(([, took]) => took >= LONGEST_MS)).toEqual([])
    },
    30_000,
  )
})
