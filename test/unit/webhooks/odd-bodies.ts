const BODY = '{"uuid":"PAY1","status":"received"}'
const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

/** Authentic bodies that are usable, at least in part. */
export const USABLE: [string, Buffer][] = [
  ['an escaped half of a surrogate pair', bytes('{"uuid":"PAY1","status":"received","external_id":"\\ud800"}')],
  ['an escaped NUL', bytes('{"uuid":"PAY1","status":"received","external_id":"a\\u0000b","payment_method":"\\u0000"}')],
  ['line ends of another system', bytes('{\r\n"uuid":"PAY1",\r\n"status":"received"\r\n}\r\n')],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], BODY)],
  ['two byte order marks', bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], BODY)],
  ['white space around it', bytes('\n\t ', BODY, ' \n')],
  ['a prototype as a key', bytes('{"__proto__":{"polluted":1,"uuid":"EVIL"},"uuid":"PAY1","status":"received"}')],
  ['a constructor as a key', bytes('{"constructor":{"prototype":{"polluted":1}},"uuid":"PAY1","status":"received"}')],
  [
    'prototypes inside',
    bytes(
      '{"uuid":"PAY1","status":"received","pay_code":{"__proto__":{"polluted":1}},"sender_details":{"card":{"__proto__":1}}}',
    ),
  ],
  ['a key twice', bytes('{"uuid":"OTHER","uuid":"PAY1","status":"pending","status":"received"}')],
  ['a number beyond every float', bytes('{"uuid":"PAY1","status":"received","amount":1e400,"total":-1e400}')],
  ['a very long number', bytes(`{"uuid":"PAY1","status":"received","amount":${'9'.repeat(5_000)}}`)],
  [
    'wrong types everywhere',
    bytes(
      '{"uuid":"PAY1","status":"received","amount":{},"currency":[],"pay_code":7,"refund_information":"x","sender_details":[],"created_at":false,"name":{},"email":1}',
    ),
  ],
  ['an unknown status', bytes('{"uuid":"PAY1","status":"quite_new"}')],
  ['a status with the name of a method', bytes('{"uuid":"PAY1","status":"constructor"}')],
  ['a status with the name of another method', bytes('{"uuid":"PAY1","status":"toString"}')],
  ['unknown fields', bytes('{"uuid":"PAY1","status":"received","new_field":{"deep":[1,{"x":null}]}}')],
  ['a noncharacter', bytes('{"uuid":"PAY1","status":"received","external_id":"\uFFFF\uFFFE"}')],
]

/** Authentic bodies that are unusable. */
export const UNUSABLE: [string, Buffer][] = [
  ['nothing', bytes('')],
  ['UTF-16', Buffer.from(BODY, 'utf16le')],
  ['a raw NUL', bytes('{"uuid":"PAY1","status":"rec\0eived"}')],
  ['a raw line end in a text', bytes('{"uuid":"PAY1","status":"received","name":"a\nb"}')],
  [
    'a half of a surrogate pair as bytes',
    bytes('{"uuid":"PAY1","status":"received","name":"', [0xed, 0xa0, 0x80], '"}'),
  ],
  ['an overlong slash', bytes('{"uuid":"PAY1","status":"received","name":"', [0xc0, 0xaf], '"}')],
  ['a cut character', bytes(BODY, [0xe2, 0x82])],
  ['bytes of no encoding', bytes([0xff, 0xfe, 0xfd])],
  ['a list', bytes(`[${BODY}]`)],
  ['a text', bytes('"received"')],
  ['a number', bytes('1e400')],
  ['null', bytes('null')],
  ['a form', bytes('uuid=PAY1&status=received')],
  ['half a body', bytes(BODY.slice(0, -1))],
  ['two bodies', bytes(BODY, BODY)],
  ['ten thousand lists', bytes('['.repeat(10_000) + ']'.repeat(10_000))],
  ['no uuid', bytes('{"status":"received"}')],
  ['no status', bytes('{"uuid":"PAY1"}')],
  ['a uuid that is a path', bytes('{"uuid":"../../v1/payment_gateways/access_token","status":"received"}')],
  ['a uuid of ten thousand characters', bytes(`{"uuid":"${'A'.repeat(10_000)}","status":"received"}`)],
  ['a uuid that is a number', bytes('{"uuid":1,"status":"received"}')],
  ['a uuid only in its prototype', bytes('{"__proto__":{"uuid":"PAY1","status":"received"}}')],
]

/** Bodies that are usable or not, depending on the engine's stack. */
export const DEEP: [string, Buffer][] = [
  ['ten thousand levels', bytes(`{"uuid":"PAY1","status":"received","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)],
  [
    'as many objects as there is room for',
    bytes(`{"uuid":"PAY1","status":"received","x":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`),
  ],
]
