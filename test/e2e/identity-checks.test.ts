import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openedUpload, picture, pictures } from '../support/identity.ts'
import { DOCUMENT_NUMBER, identityInput } from '../support/inputs.ts'
import { asked, CONTACT_FIELDS, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

const SUBMIT = '/v2/contacts/submit_kyc'
const MEBIBYTE = 1024 * 1024

let network: Network
beforeAll(async () => {
  network = await startNetwork({ sandbox: BY_HAND, limits: { uploads: { idleMs: 2_000 } } })
})
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const submitted = () => asked(network, 'POST', SUBMIT)

async function send(url: string, body: FormData | string = pictures()) {
  const response = await fetch(url, { method: 'POST', body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function contactOf(email: string): Promise<Record<string, unknown>> {
  const { data } = await network.ask<{ paymentContact: Record<string, unknown> }>(
    `query C($email: String!) { paymentContact(email: $email, currency: "AUD") { ${CONTACT_FIELDS} } }`,
    { email },
  )
  return data.paymentContact
}

/** Moves the sandbox to the decision of the checks that are pending. */
async function decide(): Promise<void> {
  await network.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)
  await network.sandbox.settle()
}

// promise(authorization): Pictures of identity documents are neither stored nor logged; their URL is sealed, expires,
// and works once.
describe('an identity check', () => {
  it('goes from the upload over the callbacks to a confirmed identity', async () => {
    const { email, url } = await openedUpload(network)
    expect(await contactOf(email)).toMatchObject({
      identityStatus: 'NOT_SUBMITTED',
      identityResults: [],
      document: null,
    })
    expect(await send(url)).toEqual({ status: 200, body: { submitted: true } })
    expect(await contactOf(email)).toMatchObject({
      identityStatus: 'PENDING',
      document: { type: 'PASSPORT', numberMasked: `***${DOCUMENT_NUMBER.slice(-3)}`, expiresOn: '2099-01-30' },
    })
    await decide()
    expect(await contactOf(email)).toMatchObject({
      identityStatus: 'APPROVED',
      identityResults: [{ status: 'APPROVED', statusRaw: 'approved', message: null }],
    })
    const { data } = await network.ask<{ webhookDeliveries: { nodes: unknown[] } }>(
      '{ webhookDeliveries(first: 100) { nodes { disposition statusRaw body attempts } } }',
    )
    const kept = { disposition: 'NO_CHANGE', body: null, attempts: 1 }
    expect(data.webhookDeliveries.nodes).toEqual(
      expect.arrayContaining([
        { ...kept, statusRaw: 'approved' },
        { ...kept, statusRaw: 'pending' },
      ]),
    )
  })

  it('that is refused may be repeated with another document', async () => {
    const { email, url } = await openedUpload(network, { documentNumber: 'REFUSE1' })
    await send(url)
    await decide()
    expect(await contactOf(email)).toMatchObject({
      identityStatus: 'REJECTED',
      identityResults: [{ message: 'The document cannot be read.' }],
    })
    const again = await mutate(network, 'requestIdentityCheck', identityInput(email))
    expect(await send(String(again['uploadUrl']))).toMatchObject({ status: 200 })
    expect(await contactOf(email)).toMatchObject({ identityStatus: 'PENDING' })
  })

  it('needs a contact that exists, and each field is named', async () => {
    expect(await mutate(network, 'requestIdentityCheck', identityInput('nobody@example.test'))).toMatchObject({
      __typename: 'PaymentsNotFoundError',
    })
    const { problems } = await mutate(network, 'requestIdentityCheck', identityInput('nobody', { issueCountry: 'aus' }))
    expect(problems?.map(({ path }) => path.join('.'))).toEqual(['email', 'issueCountry'])
  })
})

describe('the address of an upload', () => {
  it('is used once, also by two at the same time', async () => {
    const { url } = await openedUpload(network)
    const before = submitted()
    const answers = await Promise.all([send(url), send(url)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(await send(url)).toMatchObject({ status: 409, body: { errors: [{ extensions: { code: 'ALREADY_USED' } }] } })
    expect(submitted() - before).toBe(1)
  })

  it('cannot be made up, changed, or used with another method', async () => {
    const { url } = await openedUpload(network)
    const before = submitted()
    const last = url.at(-6) === 'A' ? 'B' : 'A'
    const changed = `${url.slice(0, -6)}${last}${url.slice(-5)}`
    for (const address of [
      changed,
      `${url}&grant=another`,
      url.split('?')[0] ?? '',
      `${url.split('=')[0]}=ug1.00000000.x`,
    ])
      expect(await send(address)).toMatchObject({ status: 404 })
    expect((await fetch(url)).status).toBe(404)
    expect(submitted()).toBe(before)
  })

  it('tells nothing of the person', async () => {
    const { email, url } = await openedUpload(network)
    const plain = Buffer.from(url.split('.').at(-1) ?? '', 'base64url').toString('latin1')
    for (const secret of [email, DOCUMENT_NUMBER, 'CONTACT']) expect(url + plain).not.toContain(secret)
  })

  it('is not used up by an upload that was refused, and after it by none that the payments API refused', async () => {
    const { url } = await openedUpload(network)
    expect(await send(url, pictures({ selfie: picture('gif') }))).toMatchObject({ status: 415 })
    network.sandbox.control.addFault({
      method: 'POST',
      path: SUBMIT,
      answer: { status: 422, body: { errors: { message: 'odd' } } },
    })
    expect(await send(url)).toMatchObject({
      status: 422,
      body: { errors: [{ extensions: { code: 'UPSTREAM_REJECTED' } }] },
    })
    expect(await send(url)).toMatchObject({ status: 422 })
  })
})

describe('an upload', () => {
  it.each<[string, () => FormData, number, string | null]>([
    ['without a picture', () => pictures({ back: null }), 422, 'back'],
    ['with another one', () => pictures({ more: picture('jpeg') }), 422, null],
    ['with a selfie that is no JPEG', () => pictures({ selfie: picture('png') }), 415, 'selfie'],
    ['with a picture of another kind', () => pictures({ front: picture('gif') }), 415, 'front'],
    ['with an empty picture', () => pictures({ front: new Uint8Array(0) }), 415, 'front'],
    [
      'with a picture that is too large',
      () => pictures({ back: picture('jpeg', { bytes: 6 * MEBIBYTE + 1 }) }),
      413,
      'back',
    ],
  ])('%s is refused, names the picture, and hands nothing in', async (_what, form, status, field) => {
    const { email, url } = await openedUpload(network)
    const answer = await send(url, form())
    expect(answer.status).toBe(status)
    const [error] = answer.body['errors'] as { extensions: Record<string, unknown> }[]
    expect(error?.extensions['field'] ?? null).toBe(field)
    expect(await contactOf(email)).toMatchObject({ identityStatus: 'NOT_SUBMITTED' })
    expect(await send(url)).toMatchObject({ status: 200 })
  })

  it('of the largest pictures is passed on whole', async () => {
    const { email, url } = await openedUpload(network)
    const largest = picture('jpeg', { bytes: 6 * MEBIBYTE })
    expect(await send(url, pictures({ selfie: largest, front: largest, back: largest }))).toMatchObject({ status: 200 })
    expect(await contactOf(email)).toMatchObject({ identityStatus: 'PENDING' })
  })

  it('that is no form, is refused', async () => {
    const { url } = await openedUpload(network)
    expect(await send(url, 'a text')).toMatchObject({ status: 415 })
  })

  it('that stops is given up, one that is cut off hands nothing in, and both may be repeated', async () => {
    const { email, url } = await openedUpload(network)
    const part = '--b\r\ncontent-disposition: form-data; name="selfie"; filename="a"\r\n\r\n'
    const start = `${part}${Buffer.from(picture('jpeg')).toString('latin1')}`
    expect(await raw(url, FORM, start)).toMatch(/^HTTP\/1\.1 408 /)
    const socket = opened(url, FORM, start)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.destroy()
    expect(await send(url)).toMatchObject({ status: 200 })
    expect(await contactOf(email)).toMatchObject({ identityStatus: 'PENDING', identityResults: [{}] })
  })

  it('that gets no answer is not sent again, and its outcome is not known', async () => {
    const { url } = await openedUpload(network)
    const before = submitted()
    network.sandbox.control.addFault({ method: 'POST', path: SUBMIT, answer: { status: 503 } })
    expect(await send(url)).toMatchObject({
      status: 502,
      body: { errors: [{ extensions: { code: 'OUTCOME_UNKNOWN' } }] },
    })
    expect(await send(url)).toMatchObject({ status: 502 })
    expect(submitted() - before).toBe(1)
  })

  it('leaves nothing behind: neither pictures nor what was said of the person', async () => {
    const { email, url } = await openedUpload(network, { documentNumber: 'X7351Q99' })
    await send(url, pictures({ selfie: picture('jpeg', { text: 'face of Ada' }) }))
    await decide()
    const files = readdirSync(network.folder).map((name) => readFileSync(join(network.folder, name), 'latin1'))
    const stored = files.join('\n')
    for (const secret of [email, 'X7351Q99', 'face of Ada', 'ADA CONTACT', 'a picture of Ada', 'ug1.']) {
      expect(stored).not.toContain(secret)
      expect(network.log()).not.toContain(secret)
    }
    expect(stored).toContain('submitIdentityCheck')
  })
})

const FORM = 'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\n'

/** Opens a connection and sends a request whose body does not end. */
function opened(url: string, headers: string, body: string) {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}\r\n${chunk}`, 'latin1')
  return socket
}

/** Returns the answer to a request whose body does not end. */
async function raw(url: string, headers: string, body: string): Promise<string> {
  return text(opened(url, headers, body))
}
