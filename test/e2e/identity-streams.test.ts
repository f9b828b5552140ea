import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STREAM_TRANSPORTS } from '../rights/transports.ts'
import { CONTACT_UPDATES } from '../support/identity-streams.ts'
import { openedUpload, pictures } from '../support/identity.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

const DETAIL = '/v2/contacts/detail'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const upload = (url: string) => fetch(url, { method: 'POST', body: pictures() })
const decide = () => network.sandbox.control.advance((2 * BY_HAND.paceMs) / 1000)

const follow = (email: string, options = {}) => network.follow(CONTACT_UPDATES, { email, currency: 'AUD' }, options)

describe('the state of an identity check', () => {
  it('is told from the upload to its end, read once for all followers, and then the streams end', async () => {
    const { email, url } = await openedUpload(network)
    const before = asked(network, 'GET', DETAIL)
    const streams = await Promise.all([follow(email), follow(email.toUpperCase()), follow(` ${email} `)])
    const all = async () => Promise.all(streams.map((stream) => stream.next()))
    const told = (kind: string, identityStatus: string, results: number) =>
      expect.objectContaining({ kind, identityStatus, results }) as unknown
    const first = told('SNAPSHOT', 'NOT_SUBMITTED', 0)
    expect(await all()).toEqual([first, first, first])
    expect(asked(network, 'GET', DETAIL) - before).toBe(1)
    const pending = all()
    await upload(url)
    const second = told('CHANGED', 'PENDING', 1)
    expect(await pending).toEqual([second, second, second])
    const late = await follow(email)
    const reads = asked(network, 'GET', DETAIL)
    expect(await late.next()).toEqual(told('SNAPSHOT', 'PENDING', 1))
    expect(asked(network, 'GET', DETAIL)).toBe(reads)
    const decided = all()
    await decide()
    const third = expect.objectContaining({ kind: 'CHANGED', identityStatus: 'APPROVED' }) as unknown
    expect(await decided).toEqual([third, third, third])
    expect(await all()).toEqual([null, null, null])
  })
})
