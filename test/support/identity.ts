import { contactInput, identityInput } from './inputs.ts'
import { mutate } from './mutations.ts'
import type { Network } from './network.ts'

/** Returns bytes that begin like a picture of a type, with a text in them. */
export function picture(type: 'jpeg' | 'png' | 'gif', { text = '', bytes = 2_000 } = {}): Uint8Array<ArrayBuffer> {
  const magic = {
    jpeg: [0xff, 0xd8, 0xff, 0xe0],
    png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    gif: [0x47, 0x49, 0x46],
  }
  const filled = new Uint8Array(bytes).fill(0x2e)
  filled.set(magic[type])
  filled.set(new TextEncoder().encode(text), magic[type].length)
  return filled
}

/** Returns the form of an upload; `over` replaces pictures, and null leaves one out. */
export function pictures(over: Readonly<Record<string, Uint8Array<ArrayBuffer> | null>> = {}): FormData {
  const form = new FormData()
  const parts = { selfie: picture('jpeg'), front: picture('png'), back: picture('jpeg'), ...over }
  for (const [name, bytes] of Object.entries(parts))
    if (bytes !== null) form.append(name, new Blob([bytes]), 'a picture of Ada')
  return form
}

/** Creates a contact whose document was refused, one step of the sandbox's clock later. Returns its e-mail address. */
export async function refusedContact(
  { ask, sandbox }: Pick<Network, 'ask' | 'sandbox'>,
  stepSeconds = 60,
): Promise<string> {
  const { email, url } = await openedUpload({ ask }, { documentNumber: 'REFUSE1' })
  const { status } = await fetch(url, { method: 'POST', body: pictures() })
  if (status !== 200) throw new Error(`The upload ended with ${status}.`)
  await sandbox.control.advance(stepSeconds)
  return email
}

/** Creates a contact and asks for an upload. Returns the contact's e-mail address and the URL. */
export async function openedUpload(
  network: Pick<Network, 'ask'>,
  over: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly email: string; readonly url: string }> {
  const email = (await mutate(network, 'createPaymentContact', contactInput())).contact?.personal?.email ?? ''
  const { uploadUrl } = await mutate(network, 'requestIdentityCheck', identityInput(email, over))
  return { email, url: String(uploadUrl) }
}
