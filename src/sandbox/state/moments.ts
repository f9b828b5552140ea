/**
 * A moment of the interface, in UTC: `YYYY-MM-DDThh:mm:ss`, with or without a fraction, and with nothing, `Z` or
 * `+0000` behind it (gap sheet, section 26). Undefined for any other text and for days that their month has not.
 */
export function parseMoment(text: string): Date | undefined {
  const [, local = ''] = MOMENT.exec(text) ?? []
  const moment = new Date(`${local}Z`)
  const isReal = !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(local.slice(0, DAY_LENGTH))
  return isReal ? moment : undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?)(?:Z|\+00:?00)?$/
const DAY_LENGTH = 'YYYY-MM-DD'.length
