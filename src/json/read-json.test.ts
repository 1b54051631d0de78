import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BigNumber } from 'bignumber.js'
import fc from 'fast-check'
import { mainThreadMs } from '../../test/support/check/processor-time.ts'
import { Failure } from '../failure/failure.ts'
import { defaultLimits } from '../limits.ts'
import { losesDigits } from './exact-number.ts'
import { readJson, readJsonText } from './read-json.ts'

const limits = defaultLimits

function refusal(text: string | Uint8Array): Failure {
  try {
    if (typeof text === 'string') readJsonText(text, limits)
    else readJson(text, limits)
  } catch (thrown) {
    assert(thrown instanceof Failure)
    assert.equal(thrown.code, 'VALIDATION_ERROR')
    return thrown
  }
  return assert.fail(`accepted ${text}`)
}

describe('what is refused, and the sentence for it (contract 7.2.5)', () => {
  const rows: [text: string, message: string][] = [
    ['', 'The body is empty; send a JSON document.'],
    [' \n', 'The body is empty; send a JSON document.'],
    ['\ufeff{}', 'The body begins with a byte order mark; send UTF-8 without one.'],
    ['{"a":}', 'The body is not valid JSON: a value is missing at line 1, column 6.'],
    ['{\n "a": 1,\n}', 'The body is not valid JSON: a name in double quotes is missing at line 3, column 1.'],
    ["{'a':1}", 'The body is not valid JSON: a name in double quotes is missing at line 1, column 2.'],
    ['{"a" 1}', 'The body is not valid JSON: a colon is missing at line 1, column 6.'],
    ['[1 2]', 'The body is not valid JSON: a comma or ] is missing at line 1, column 4.'],
    ['[1,]', 'The body is not valid JSON: a value is missing at line 1, column 4.'],
    ['{"a":1', 'The body is not valid JSON: a comma or } is missing at line 1, column 7.'],
    ['"a', 'The body is not valid JSON: a string has no end at line 1, column 3.'],
    ['"\t"', 'The body is not valid JSON: a control character is not escaped at line 1, column 2.'],
    ['"\\x41"', 'The body is not valid JSON: an escape is unknown at line 1, column 2.'],
    ['{} {}', 'The body is not valid JSON: something follows the end of the document at line 1, column 4.'],
    ['01', 'The body is not valid JSON: something follows the end of the document at line 1, column 2.'],
    ['NaN', 'The body is not valid JSON: a value is missing at line 1, column 1.'],
    ['"\\u0000"', 'The body is not acceptable: NUL is not allowed.'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'The body is nested deeper than 32 levels.'],
    ['['.repeat(1_000_000), 'The body is nested deeper than 32 levels.'],
    ['{"a":'.repeat(200_000), 'The body is nested deeper than 32 levels.'],
  ]
  for (const [text, message] of rows) {
    test(JSON.stringify(text.slice(0, 40)), () => assert.equal(refusal(text).message, message))
  }
})

describe('what is well formed and refused, at its path (contract 7.2.5)', () => {
  const twice = 'This name appears more than once in its object.'
  const rows: [text: string, field: string, message: string][] = [
    ['{"role":1,"role":1}', 'role', twice],
    ['{"role":1,"\\u0072ole":2}', 'role', twice],
    ['{"\\u0072ole":1,"role":2}', 'role', twice],
    ['{"a":{"b":[{},{"c" : 1 , "c" :2}]}}', 'a.b[1].c', twice],
    ['{"a":{"x":1,"y":2},"b":3,"a":{"z":4}}', 'a', twice],
    ['{"":1,"x":{"":1,"":2}}', 'x.', twice],
    ['{"__proto__":1,"__proto__":2}', '__proto__', twice],
    ['{"1":1,"1":2}', '1', twice],
    ['{"\\\\":1,"\\\\":2}', '\\', twice],
    ['{"a\\"":1,"a\\u0022":2}', 'a"', twice],
    ['{"a":"\\u0000"}', 'a', 'NUL is not allowed.'],
    ['{"a":["ok","x\\u0000y"]}', 'a[1]', 'NUL is not allowed.'],
    ['{"a\\u0000":1}', 'a\ufffd', 'NUL is not allowed.'],
    ['{"a":"\\ud800"}', 'a', 'Half of a surrogate pair is not a character.'],
    ['{"a":"\\ude00\\ud83d"}', 'a', 'Half of a surrogate pair is not a character.'],
    ['{"\\udfff":1}', '\ufffd', 'Half of a surrogate pair is not a character.'],
    ['{"a":"\ud800"}', 'a', 'Half of a surrogate pair is not a character.'],
    ['{"a":1e400}', 'a', 'This number is too large.'],
    ['{"a":[0,-1E999]}', 'a[1]', 'This number is too large.'],
    [`{"a":1${'0'.repeat(309)}}`, 'a', 'This number is too large.'],
    ['{"a":9007199254740993}', 'a', losesDigits],
    ['{"a":{"b":[-9007199254740993]}}', 'a.b[0]', losesDigits],
    ['{"a":0.1234567890123456789}', 'a', losesDigits],
    ['{"a":1e-400}', 'a', losesDigits],
    ['{"a":1e-40012345678901234567890}', 'a', losesDigits],
    ['{"a":1.00000000000000011e22}', 'a', losesDigits],
    [`{"a":1${'0'.repeat(200)}1}`, 'a', losesDigits],
    [`{"a":0.${'0'.repeat(2_000)}1}`, 'a', losesDigits],
  ]
  for (const [text, field, message] of rows) {
    test(text.slice(0, 40), () => assert.deepEqual(refusal(text).details, [{ field, message }]))
  }

  test('reports every problem of one document', () => {
    const { details } = refusal('{"a":1,"a":2,"b":"\\u0000","c":[1e999]}')
    assert.deepEqual(
      details?.map(({ field }) => field),
      ['a', 'b', 'c[0]'],
    )
  })

  test('names no more than a hundred problems, and no endless path', () => {
    assert.equal(refusal(`[${'1e999,'.repeat(1_000)}0]`).details?.length, 100)
    assert.equal(refusal(`{"${'x'.repeat(5_000)}":1e999}`).details?.[0]?.field.length, 201)
  })
})

describe('what is accepted', () => {
  const rows: [text: string, value: unknown][] = [
    ['null', null],
    [' {"a" : [true,false,null,-0.5e-7,"\\u00e9\\ud83d\\ude00"]}\r\n', { a: [true, false, null, -0.5e-7, 'é😀'] }],
    ['{"a":{"x":1},"b":{"x":1}}', { a: { x: 1 }, b: { x: 1 } }],
    ['{"a":":","b":"\\":\\"","c":"\\\\"}', { a: ':', b: '":"', c: '\\' }],
    [`["${'\\\\'.repeat(40)}","${'\\"'.repeat(40)}" ,1]`, ['\\'.repeat(40), '"'.repeat(40), 1]],
    ['"\\\\u0000"', '\\u0000'],
    [
      '[1e-307,0.30000000000000004,9007199254740992,1.50e1,1E+21,123456789012345680000]',
      [1e-307, 0.30000000000000004, 2 ** 53, 15, 1e21, 123456789012345680000],
    ],
    ['"9007199254740993"', '9007199254740993'],
  ]
  for (const [text, value] of rows) {
    test(text.slice(0, 40), () => assert.deepEqual(readJsonText(text, limits), value))
  }

  test('numbers that lose digits, where not all of the document is ours', () => {
    assert.deepEqual(readJsonText('[9007199254740993]', { ...limits, roundsNumbers: true }), [2 ** 53])
  })

  test('a number that is too large, where its name appears again', () => {
    assert.throws(() => readJsonText('{"a":1e999,"a":0}', limits), { code: 'VALIDATION_ERROR' })
  })

  test('a mebibyte of long numbers, soon', () => {
    const text = `[${'0.30000000000000004,'.repeat(50_000)}0]`
    const begun = mainThreadMs()
    readJsonText(text, limits)
    assert.ok(mainThreadMs() - begun < 2_000)
  })

  test('exactly 32 levels', () => {
    readJsonText(`${'['.repeat(32)}${']'.repeat(32)}`, limits)
    readJsonText(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`, limits)
  })

  test('`__proto__` as a member of its own, which pollutes nothing', () => {
    const value = readJsonText('{"__proto__":{"isAdmin":true}}', limits) as object
    assert.deepEqual(Object.keys(value), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    assert.equal(('isAdmin' in value) as boolean, false)
  })
})

describe('escaped names, whatever was read before', () => {
  // V8 takes the beginning of the source, here `\`, for the name, where another object went on with that name. Found by the
  // properties below.
  test('are read as they are written', () => {
    readJsonText('{"h":[],"\\\\":0}', limits)
    assert.deepEqual(readJsonText('{"h":1,"\\"":2}', limits), { h: 1, '"': 2 })
    assert.deepEqual(readJsonText('{"h":1,"\\n":2,"\\t":[{"__proto__":-0.5}]}', limits), {
      h: 1,
      '\n': 2,
      '\t': [JSON.parse('{"__proto__":-0.5}')],
    })
  })

  test('are refused at their own path', () => {
    readJsonText('{"h":[],"\\\\":0}', limits)
    assert.equal(refusal('{"h":1,"\\u0000":2}').details?.[0]?.field, '\ufffd')
    assert.equal(refusal('{"h":1,"\\n":2,"\\n":3}').details?.[0]?.field, '\n')
  })
})

describe('bytes', () => {
  test('UTF-8 is read', () => assert.equal(readJson(Buffer.from('"é😀"'), limits), 'é😀'))
  const rows: [name: string, bytes: number[]][] = [
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut-off character', [0x22, 0xe2, 0x82, 0x22]],
    ['latin1', [0x22, 0xe9, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ]
  for (const [name, bytes] of rows) {
    test(`${name} is refused`, () =>
      assert.equal(refusal(Uint8Array.from(bytes)).message, 'The body is not valid UTF-8.'))
  }
  test('a byte order mark is refused', () => assert.match(refusal(Buffer.from('\ufeff{}')).message, /byte order mark/))
  test('the subject begins the sentence', () => {
    assert.throws(() => readJsonText('{', limits, 'The parameter variables'), {
      message: /^The parameter variables is /,
    })
  })
})

// A naive reader with the same rules, written another way: tokens by regular expression and a stack.
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON forbids in a string.
  /[ \t\r\n]*([[\]{},:]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")/y

/** The value in a list of one; an empty list where the text is to be refused. */
function readNaively(text: string): [value: unknown] | [] {
  const tokens: string[] = []
  token.lastIndex = 0
  let end = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    tokens.push(match[1]!)
    end = token.lastIndex
  }
  if (!/^[ \t\r\n]*$/.test(text.slice(end))) return []
  let at = 0
  function string(source: string | undefined): string {
    if (!source?.startsWith('"')) throw new Unacceptable()
    const value = JSON.parse(source) as string
    if (/\0|\p{Surrogate}/u.test(value)) throw new Unacceptable()
    return value
  }
  function value(depth: number): unknown {
    const first = tokens[at++]
    if (first === undefined || ']}:,'.includes(first)) throw new Unacceptable()
    if (first === 'true' || first === 'false' || first === 'null') return JSON.parse(first)
    if (first.startsWith('"')) return string(first)
    if ((first === '[' || first === '{') && depth === limits.jsonDepth) throw new Unacceptable()
    if (first === '[') return list(']', () => value(depth + 1))
    if (first === '{') return object(depth)
    if (!isKept(first)) throw new Unacceptable()
    return Number(first)
  }
  function object(depth: number): unknown {
    const members = list('}', () => {
      const name = string(tokens[at++])
      if (tokens[at++] !== ':') throw new Unacceptable()
      return [name, value(depth + 1)] as const
    })
    const names = members.map(([name]) => name)
    if (names.some((name, index) => names.indexOf(name) !== index)) throw new Unacceptable()
    return Object.fromEntries(members)
  }
  function list<T>(closing: string, element: () => T): T[] {
    const elements: T[] = []
    if (tokens[at] === closing) {
      at++
      return elements
    }
    for (;;) {
      elements.push(element())
      const next = tokens[at++]
      if (next === closing) return elements
      if (next !== ',') throw new Unacceptable()
    }
  }
  try {
    const result = value(0)
    return at === tokens.length ? [result] : []
  } catch (thrown) {
    if (thrown instanceof Unacceptable) return []
    throw thrown
  }
}

class Unacceptable extends Error {}

/** Exponents of more than nine digits make zero or infinity of a BigNumber, too. */
function isKept(text: string): boolean {
  const number = Number(text)
  if (number === 0) return !/[1-9]/.test(text.split(/e/i)[0]!)
  return Number.isFinite(number) && BigNumber(text).eq(String(number))
}

function read(text: string): [value: unknown] | [] {
  try {
    return [readJsonText(text, limits)]
  } catch (thrown) {
    if (thrown instanceof Failure) return []
    throw thrown
  }
}

describe('against a naive reader', () => {
  const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
  const character = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('a', 'b', 'é', ':', '{', '😀', ',', '\\"', '\\\\', '\\n', '\\u0061', '\\/'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\\u0000', '\\ud800', '\\udc00', '\\ud83d\\ude00', '\\u003a', '\\\\u0000'),
    },
  )
  const string = fc.oneof(
    { weight: 5, arbitrary: fc.array(character, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(character, { minLength: 20, maxLength: 60 }) },
  )
  const quoted = string.map((characters) => `"${characters.join('')}"`)
  const number = fc.constantFrom('0', '-1', '1.5', '1e3', '1E-400', '1e400', '-1e999', '123456789012345678901')
  const { document } = fc.letrec<{ document: string; bare: string; array: string; object: string }>((tie) => ({
    document: fc.tuple(space, tie('bare'), space).map((parts) => parts.join('')),
    bare: fc.oneof(
      { maxDepth: 5 },
      number,
      quoted,
      fc.constantFrom('true', 'false', 'null'),
      tie('object'),
      tie('array'),
    ),
    array: fc.array(tie('document'), { maxLength: 4 }).map((elements) => `[${elements.join(',')}]`),
    object: fc
      .array(fc.tuple(space, quoted, space, tie('document')), { maxLength: 6 })
      .map(
        (members) =>
          `{${members.map(([before, name, after, value]) => `${before}${name}${after}:${value}`).join(',')}}`,
      ),
  }))

  test('agrees on documents with repeated names, odd escapes, odd numbers', () => {
    let refused = 0
    fc.assert(
      fc.property(document, (text) => {
        const expected = readNaively(text)
        if (expected.length === 0) refused++
        assert.deepStrictEqual(read(text), expected)
      }),
      { numRuns: 3_000 },
    )
    assert(refused > 300, `only ${refused} of the documents were to be refused`)
  })

  test('agrees on documents with something cut out or put in', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', '"', '\\', ',', ':', '}', ']', '[', '0', '\t', 'x'),
    )
    fc.assert(
      fc.property(document, change, (text, [at, length, piece]) => {
        const start = at % (text.length + 1)
        const changed = text.slice(0, start) + piece + text.slice(start + length)
        assert.deepStrictEqual(read(changed), readNaively(changed))
      }),
      { numRuns: 3_000 },
    )
  })
})
