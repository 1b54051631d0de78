// Searches of lists, row by row: what is found, by whom, and what is refused.

import { letter, note, people, ships } from '../support/domain/letters.ts'
import { mailroom } from '../support/domain/mailroom.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'

interface Search {
  readonly it: string
  readonly clause: Row['clause']
  readonly given: Row['given']
  readonly q: string
  readonly names: readonly string[]
  readonly as?: Row['as']
  readonly sort?: readonly [rest: string, graphql: string]
}
const search = ({ it, clause, given, q, names, as = 'viewer', sort }: Search): Row => ({
  clause,
  it,
  as: as!,
  given: { ...people, ...given },
  send: `GET /api/v2/letters?round={word}&fields=id&q=${encodeURIComponent(q)}${sort === undefined ? '' : `&sort=${sort[0]}`}`,
  also: `{ letters(filter: { round: "{word}" }, search: ${JSON.stringify(q)}${sort === undefined ? '' : `, sort: [${sort[1]}]`}) { nodes { id } } }`,
  answer: { status: 200, data: names.map((name) => ({ id: `{${name}}` })) },
})
const refusal = (it: string, clause: Row['clause'], q: string, message: string): Row => ({
  clause,
  it,
  as: 'viewer',
  send: `GET /api/v2/letters?q=${encodeURIComponent(q)}`,
  answer: { status: 400, code: 'VALIDATION_ERROR', field: 'q', message: /./ },
  also: {
    query: `{ letters(search: ${JSON.stringify(q)}) { nodes { id } } }`,
    answer: { status: 200, code: 'VALIDATION_ERROR', field: 'search', message: /./ },
  },
  then: [
    {
      as: 'viewer',
      send: `GET /api/v2/letters?q=${encodeURIComponent(q)}`,
      answer: { status: 400, body: { error: { details: [{ field: 'q', message }] } } },
    },
  ],
})

const summary = (it: string, clause: Row['clause'], q: string, count: number): Row => ({
  clause,
  it,
  as: 'viewer',
  given: { ...people, ...ships },
  send: `GET /api/v2/letters/summary?round={word}&q=${encodeURIComponent(q)}`,
  answer: { status: 200, data: [{ count }] },
  also: `{ letterSummary(filter: { round: "{word}" }, search: ${JSON.stringify(q)}) { nodes { count } } }`,
})
const summaryRefusal = (it: string, clause: Row['clause'], line: string, field: string): Row => ({
  clause,
  it,
  as: 'viewer',
  send: `GET /api/v2/${line}`,
  answer: { status: 400, code: 'VALIDATION_ERROR', field },
})

clauses(
  '12.2 Searches, row by row',
  [
    summary('a summary of what is found', '12.2.29', 'ship', 3),
    summary('a summary of nothing', '12.2.29', 'boat', 0),
    {
      clause: '12.2.18',
      it: 'a summary of what is found',
      as: 'viewer',
      send: 'GET /api/v2/letters/summary?q=ship',
      answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache' } },
      then: [
        {
          send: `GET /graphql?query=${encodeURIComponent('{ noticeSummary(search: "ship") { nodes { count } } }')}`,
          answer: { status: 200, headers: { 'Cache-Control': 'private, no-cache' } },
        },
      ],
    },
    summaryRefusal('a summary of no question', '12.2.29', 'letters/summary?q=-', 'q'),
    {
      clause: '12.2.28',
      it: 'a cursor of another search',
      as: 'viewer',
      given: { ...people, ...ships },
      first: [
        {
          as: 'viewer',
          send: 'GET /api/v2/letters/summary?round={word}&group_by=subject&limit=1&q=ship',
          keep: { next: 'body.meta.next_cursor' },
        },
      ],
      send: 'GET /api/v2/letters/summary?round={word}&group_by=subject&limit=1&q=ships&cursor={next}',
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'cursor' },
    },
    search({
      it: 'a word, and words that it begins, whole ones first',
      clause: '12.2.10',
      given: ships,
      q: 'ship',
      names: ['one', 'three', 'two'],
    }),
    search({ it: 'two words in two fields', clause: '12.2.13', given: ships, q: 'paper out', names: ['three'] }),
    search({ it: 'only the last may be a beginning', clause: '12.2.13', given: ships, q: 'shi paper', names: [] }),
    search({ it: 'nor one in quotation marks', clause: '12.2.13', given: ships, q: '"ship"', names: ['one'] }),
    search({
      it: 'what must not occur',
      clause: '12.2.13',
      given: ships,
      q: '-the ship',
      names: ['three', 'two'],
    }),
    search({
      it: 'the last that may occur is a beginning, whatever must not follows it',
      clause: '12.2.13',
      given: { one: letter('Shipping now'), two: letter('Shipping later'), three: letter('Ship it later') },
      q: 'shi -later',
      names: ['one'],
    }),
    search({
      it: 'and whatever signs',
      clause: '12.2.13',
      given: { one: letter('Shipping now'), two: letter('Shipping later') },
      q: 'now shi -later &',
      names: ['one'],
    }),
    search({
      it: 'but not one in quotation marks before it, nor one before the last',
      clause: '12.2.13',
      given: { one: letter('Shipping now'), two: letter('Ship now') },
      q: '"shi" -later',
      names: [],
    }),
    search({
      it: 'words side by side',
      clause: '12.2.13',
      given: { near: letter('Big red ship'), far: letter('red and big ship') },
      q: '"red ship"',
      names: ['near'],
    }),
    search({
      it: 'parts of one word stand side by side',
      clause: '12.2.13',
      given: { one: letter('I don’t know'), other: letter('t and don') },
      q: "don't",
      names: ['one'],
    }),
    search({
      it: 'case, accents and forms',
      clause: '12.2.12',
      given: { one: letter('STRASSE über'), two: letter('Straße Über'), three: letter('ｓｔｒａſſｅ u\u0308ber') },
      q: 'straße uber',
      names: ['three', 'two', 'one'],
    }),
    search({
      it: 'Chinese, Japanese and Korean by two characters',
      clause: '12.2.12',
      given: { one: letter('東京都庁へ行く'), two: letter('京東') },
      q: '京都',
      names: ['one'],
    }),
    search({
      it: 'Thai in the midst, its vowels distinguished',
      clause: '12.2.12',
      given: { one: letter('ฉันกินข้าว'), two: letter('ฉันกนข้าว') },
      q: 'กินข้าว',
      names: ['one'],
    }),
    search({
      it: 'words that are hidden make no difference',
      clause: '12.2.14',
      given: {
        open: letter('A'),
        secret: letter('B'),
        note: note('open', 'the anchor'),
        'internal note': note('secret', 'the anchor', { isInternal: true }),
        closed: letter('The anchor', { isOpen: false }),
      },
      q: 'anchor',
      names: ['open'],
    }),
    search({
      it: 'for a caller who may see them, they do',
      clause: '12.2.14',
      given: {
        open: letter('A'),
        secret: letter('B'),
        note: note('open', 'the anchor'),
        'internal note': note('secret', 'the anchor', { isInternal: true }),
        closed: letter('The anchor', { isOpen: false }),
      },
      q: 'anchor',
      names: ['closed', 'secret', 'open'],
      as: 'editor',
    }),
    search({
      it: 'words of two documents do not add up',
      clause: '12.2.14',
      given: { one: letter('red'), note: note('one', 'ship'), two: letter('red'), whole: note('two', 'red ship') },
      q: 'red ship',
      names: ['two'],
    }),
    search({
      it: 'by the first field, then side by side, then whole',
      clause: '12.2.15',
      given: {
        body: letter('x', { body: 'red ship' }),
        beginning: letter('red shipping'),
        apart: letter('ship for red'),
        near: letter('red ship'),
        spread: letter('red', { body: 'ship' }),
        title: letter('x'),
        'of title': note('title', 'x', { title: 'ship red' }),
      },
      q: 'red ship',
      names: ['near', 'beginning', 'apart', 'title', 'body', 'spread'],
    }),
    search({
      it: 'a record ranks as its best document, and of equal ones the newest comes first',
      clause: '12.2.34',
      given: {
        body: letter('x', { body: 'ship' }),
        noted: letter('x', { body: 'ship' }),
        title: note('noted', 'x', { title: 'ship' }),
        older: letter('ship'),
        newer: letter('ship'),
      },
      q: 'ship',
      names: ['newer', 'older', 'noted', 'body'],
    }),
    search({
      it: 'another order may be chosen',
      clause: '12.2.15',
      given: ships,
      q: 'ship',
      names: ['three', 'one', 'two'],
      sort: ['subject', 'SUBJECT_ASC'],
    }),
    search({
      it: 'or this one by its name',
      clause: '12.2.15',
      given: ships,
      q: 'ship',
      names: ['one', 'three', 'two'],
      sort: ['-relevance', 'RELEVANCE_DESC'],
    }),
    {
      clause: '12.2.36',
      it: 'relevance without a search is refused',
      as: 'viewer',
      send: 'GET /api/v2/letters?sort=-relevance',
      also: { query: '{ letters(sort: [RELEVANCE_DESC]) { nodes { id } } }' },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'sort' },
    },
    search({
      it: 'parts of a code, whole ones first',
      clause: '12.2.16',
      given: {
        part: letter('A', { code: 'XAB-1234' }),
        whole: letter('B', { code: 'B-12' }),
        none: letter('C', { code: 'A-B-2' }),
      },
      q: 'b-12',
      names: ['whole', 'part'],
    }),
    search({
      it: 'two characters are found where words begin, whole ones first',
      clause: '12.2.16',
      given: {
        code: letter('A', { code: 'AB-12' }),
        begins: letter('B', { code: '123 x' }),
        whole: letter('C', { code: 'x 12' }),
        number: letter('Number 12'),
      },
      q: '12',
      names: ['number', 'whole', 'begins'],
    }),
    search({
      it: 'one character excludes words that begin so',
      clause: '12.2.16',
      given: { left: letter('Apple', { code: 'BA' }), out: letter('Apple', { code: 'AB' }) },
      q: '-a "apple"',
      names: ['left'],
    }),
    {
      clause: '12.2.16',
      it: 'and where nothing else is searched',
      as: 'viewer',
      given: {
        begins: { User: { name: 'B', nick: 'q{word}' } },
        other: { User: { name: 'O', nick: 'xq{word}' } },
      },
      send: 'GET /api/v2/users?fields=id&q=q{word}',
      also: '{ users(search: "q{word}") { nodes { id } } }',
      answer: { status: 200, data: [{ id: '{begins}' }, { id: '{other}' }] },
    },
    refusal('a quotation mark that is not closed', '12.2.33', 'a "b', 'Holds a quotation mark that is not closed.'),
    refusal('no word', '12.2.33', ' - & ', 'Must hold a word: letters or digits.'),
    refusal('nothing but what must not occur', '12.2.33', '-a', 'Must hold a word that is not excluded.'),
    refusal('eleven words', '12.2.33', 'a b c d e f g h i "j k"', 'At most 10 words.'),
    refusal('201 characters', '12.2.33', 'ü'.repeat(201), 'At most 200 characters.'),
    search({ it: 'ten words', clause: '12.2.33', given: {}, q: 'a b c d e f g h i j', names: [] }),
    search({ it: '200 characters', clause: '12.2.33', given: {}, q: 'ü'.repeat(200), names: [] }),
  ],
  { definition: mailroom },
)
