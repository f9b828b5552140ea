import { expect, it } from 'vitest'
import { searchedText } from '../../../../src/graphql/resolvers/payments.ts'

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057'

it.each<[string, string, string]>([
  ['a reference without the spaces around it', ' order-7 ', 'order-7'],
  ['a name', 'Grace Hopper', 'Grace Hopper'],
  ['what was pasted without what nobody sees', '\u001d\ufefforder-7\u200b\u3164\u0004\r\n', 'order-7'],
  ['the uuid of a page, wherever it is', `https://pay.example/${UUID}/card?lang=en#top`, UUID],
  ['the last uuid of a page', `https://pay.example/${UUID.replace('0189', '0190')}/links/${UUID}`, UUID],
  ['the last segment of the path of a page', 'https://pay.example/c/4DY3YDRA', '4DY3YDRA'],
  ['it before a slash, parameters and a fragment', 'HTTPS://pay.example/4DY3YDRA/?lang=en#top', '4DY3YDRA'],
  ['an address without a path', 'https://pay.example', 'https://pay.example'],
  ['what only looks like an address', 'https://', 'https://'],
])('searches for %s', (_what, text, searched) => {
  expect(searchedText(text)).toBe(searched)
})
