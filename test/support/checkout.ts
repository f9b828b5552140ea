/** Submits a form of the hosted page, as a customer does. Returns the answer. Throws if the page refuses it. */
export async function act(checkoutUrl: string, action: string, fields: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(`${checkoutUrl}/${action}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(fields),
  })
  if (!response.ok) throw new Error(`The hosted page answered ${response.status} to ${action}.`)
  return response.json()
}

/** Pays with the method that the link preselects, or with the given one. */
export async function pay(checkoutUrl: string, methodCode?: string): Promise<void> {
  await act(checkoutUrl, 'pay', methodCode === undefined ? {} : { method_code: methodCode })
}
