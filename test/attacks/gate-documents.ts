const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ')

const chain = (count: number, inner: string) =>
  `{ payments { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on Payment { ...F${index + 1} ...F${index + 1} }`)} fragment F${count} on Payment { ${inner} }`
/** Fragments of which each spreads all later ones. */
export const web = (count: number) =>
  `{ payments { nodes { ...F0 } } } ${many(count, (index) => `fragment F${index} on Payment { ${many(count - index - 1, (other) => `...F${index + other + 1}`)} id }`)}`
const circle = (count: number) =>
  `{ payments { nodes { ${many(count, (index) => `...F${index}`)} } } } ${many(count, (index) => `fragment F${index} on Payment { ${many(count, (other) => `...F${other}`)} }`)}`

/** Operations that go beyond a limit, or are not valid. */
export const BEYOND: readonly [string, string][] = [
  ['deep', `{ payment(id: 1) { ${'link { payment { '.repeat(200)} id ${'} '.repeat(400)} } }`],
  ['wide', `{ ${many(300, (index) => `a${index}: payment(id: 1) { id }`)} }`],
  ['thousand times wide', `{ ${many(10_000, (index) => `a${index}: payment(id: 1) { id }`)} }`],
  ['aliases', `{ payment(id: 1) { ${many(300, (index) => `a${index}: id`)} } }`],
  ['twenty thousand aliases', `{ payment(id: 1) { ${many(20_000, (index) => `a${index}: id`)} } }`],
  ['directives', `{ payment(id: 1) { id ${'@skip(if: true) '.repeat(150)} } }`],
  ['many kinds of directives', `{ payment(id: 1) { id ${many(300, (index) => `@a${index}`)} } }`],
  ['a field nine hundred times', `{ payments { nodes { ${'id '.repeat(900)} } } }`],
  ['an object two hundred times', `{ payments { nodes { ${'amount { value } '.repeat(200)} } } }`],
  ['a root field nine hundred times', `{ ${'__typename '.repeat(900)} }`],
  ['nothing but fragments around a field', `{ payments { nodes { ${'... { id } '.repeat(150)} } } }`],
  ['misspelt fields', `{ payments { nodes { ${many(900, (index) => `paymen${index}`)} } } }`],
  ['a bomb of fragments', chain(60, 'a: id')],
  ['a circle of fragments', circle(20)],
  [
    'a long circle of fragments',
    `{ ...F0 } ${many(100, (index) => `fragment F${index} on Query { ...F${(index + 1) % 100} }`)}`,
  ],
  ['a circle of one', '{ ...F } fragment F on Query { ...F }'],
  ['skipped fields that count', `{ payment(id: 1) { ${many(16, (index) => `a${index}: id @skip(if: true)`)} } }`],
  ['deep inline fragments', `{ ${'... { '.repeat(300)} a: id ${'} '.repeat(300)} }`],
  ['deep introspection', `{ __schema { types { ${'ofType { '.repeat(30)} name ${'} '.repeat(30)} } } }`],
  ['a list of literals', `{ payments(filter: { phases: [${'SUCCEEDED '.repeat(2_000)}] }) { nodes { id } } }`],
  ['lists in lists', `{ payments(filter: { reference: ${'['.repeat(400)}${']'.repeat(400)} }) { nodes { id } } }`],
  ['types in types', `query ($a: ${'['.repeat(400)}Int${']'.repeat(400)}) { __typename }`],
  ['tokens alone', '{'.repeat(1_000_000)],
  ['a megabyte of a name', `{ ${'a'.repeat(1_000_000)} }`],
  ['misspelt values', `{ payments(filter: { phases: [${'SUCCEDED '.repeat(900)}] }) { nodes { id } } }`],
  ['variables that are not used', `query (${many(190, (index) => `$a${index}: Int`)}) { __typename }`],
]

/** Operations that are as large as the limits allow. */
export const LARGE: readonly [string, string][] = [
  [
    'ninety fragments in one place',
    `{ payments { nodes { ${many(90, (index) => `...F${index}`)} } } } ${many(90, (index) => `fragment F${index} on Payment { id }`)}`,
  ],
  ['a web of fragments', web(26)],
  ['a chain of fragments that doubles', chain(60, 'id')],
  ['a megabyte in a string', `{ payment(id: "${'a'.repeat(1_000_000)}") { id } }`],
  ['a megabyte in a block string', `{ payment(id: """${' a\n'.repeat(330_000)}""") { id } }`],
  ['escapes', `{ payment(id: "${String.raw`\u{1F600}\u0041`.repeat(60_000)}") { id } }`],
  ['a megabyte of comments', `# ${'a'.repeat(1_000_000)}\n{ __typename }`],
  ['a megabyte of commas', `{ __typename ${','.repeat(1_000_000)} }`],
  ['a list of nine hundred', `{ payments(filter: { phases: [${'SUCCEEDED '.repeat(900)}] }) { nodes { id } } }`],
]
