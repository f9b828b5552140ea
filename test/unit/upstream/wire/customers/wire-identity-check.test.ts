import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { multipartOf, toIdentityCheckFields } from '../../../../../src/upstream/wire/wire-identity-check.ts'

const CHECK = {
  email: 'ada@example.test',
  documentType: 'passport',
  documentNumber: 'P8152342',
  nameInDocument: 'ADA PAYER',
  expiresOn: '2030-01-30',
  issueCountry: 'AU',
  nationality: 'GB',
  webhook: { endpointUrl: 'https://merchant.test/webhooks/identity-checks/r1', authorizationHeader: 'Bearer v1.k.abc' },
} as const

async function* pictures(fails: boolean) {
  for (const name of ['selfie', 'front', 'back'] as const)
    yield { name, type: name === 'front' ? ('image/png' as const) : ('image/jpeg' as const), bytes: bytesOf(name) }
  if (fails) throw new Error('The client hung up.')
}

async function* bytesOf(name: string) {
  yield Buffer.from(`picture of ${name}, `)
  yield Buffer.from('in two chunks')
}

const fields = () => {
  const written = toIdentityCheckFields(CHECK)
  if ('faults' in written) throw new Error(`Wrong in it: ${written.faults.join()}`)
  return written.body
}

it('is the documented form, text before files', async () => {
  const { contentType, bytes } = multipartOf(fields(), pictures(false))
  const response = new Response(await text(bytes), { headers: { 'content-type': contentType } })
  const form = [...(await response.formData())]
  expect(form.filter(([, value]) => typeof value === 'string')).toEqual([
    ['email', 'ada@example.test'],
    ['document_type', 'passport'],
    ['document_number', 'P8152342'],
    ['document_username', 'ADA PAYER'],
    ['expiry_date', '2030-01-30'],
    ['issue_country', 'AU'],
    ['nationality', 'GB'],
    ['webhook_notification[endpoint_url]', CHECK.webhook.endpointUrl],
    ['webhook_notification[authorization_header]', CHECK.webhook.authorizationHeader],
  ])
  const files = form.flatMap(([name, value]) => (value instanceof File ? [{ name, file: value }] : []))
  expect(files.map(({ name, file }) => [name, file.name, file.type])).toEqual([
    ['selfie', 'selfie.jpg', 'image/jpeg'],
    ['id_doc_front_side', 'front.png', 'image/png'],
    ['id_doc_back_side', 'back.jpg', 'image/jpeg'],
  ])
  expect(await files[1]?.file.text()).toBe('picture of front, in two chunks')
})

it('lacks its end if the pictures end with an error', async () => {
  const { bytes } = multipartOf(fields(), pictures(true))
  const chunks: string[] = []
  const read = async () => {
    for await (const chunk of bytes) chunks.push(Buffer.from(chunk).toString())
  }
  await expect(read()).rejects.toThrow('The client hung up.')
  expect(chunks.join('')).toContain('picture of back')
  expect(chunks.join('')).not.toMatch(/--\r\n$/)
})
