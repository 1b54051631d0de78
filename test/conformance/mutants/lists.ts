// Faults of lists, searches and summaries.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources contain templates.

import { type Mutant, of } from './mutant.ts'

export const lists: readonly Mutant[] = [
  ...of('reference', [
    [
      'guarded filters are open',
      'src/read-plan/list-access.ts',
      '  const rule = resource.protect.get(column.field)?.filter',
      '  const rule = undefined as never',
      '4.3.6',
    ],
    ['searches may have more words', 'src/limits.ts', '  searchWords: 10,', '  searchWords: 12,', '12.2.33'],
    ['the usual page has 10', 'src/limits.ts', '  defaultPageSize: 20,', '  defaultPageSize: 10,', '4.4.5'],
    ['pages may have 101', 'src/limits.ts', '  pageSize: 100,', '  pageSize: 101,', '4.4.5'],
    ['page numbers end later', 'src/limits.ts', '  offset: 10_000,', '  offset: 20_000,', '4.4.6'],
    [
      'the first page is 0',
      'src/rest/query/page.ts',
      'offset: (page.page - 1) * page.size',
      'offset: page.page * page.size',
      '4.4.1',
    ],
    [
      'page and cursor go together',
      'src/rest/query/page.ts',
      'page !== undefined && cursor !== undefined',
      'false',
      '4.4.4',
    ],
    [
      'limit and per_page go together',
      'src/rest/query/page.ts',
      'limit !== undefined && perPage !== undefined',
      'false',
      '4.4.4',
    ],
    [
      'limit begins pages by number',
      'src/rest/query/page.ts',
      '(cursor !== undefined || limit !== undefined)',
      'cursor !== undefined',
      '4.4.2',
    ],
    [
      'total_pages is rounded down',
      'src/rest/read.ts',
      'Math.ceil(total / page.size)',
      'Math.floor(total / page.size)',
      '4.4.1',
    ],
    [
      'there is always a next page',
      'src/read-plan/page.ts',
      'hasNext: hasMore, hasPrevious: hasSkipped',
      'hasNext: true, hasPrevious: hasSkipped',
      '4.4.1,4.4.7',
    ],
    [
      'pages overlap by one',
      'src/read-plan/page.ts',
      "direction === 'next' ? rows.at(-1) : rows[0]",
      "direction === 'next' ? rows.at(-2) : rows[0]",
      '4.4.8',
    ],
    ['cursors fit every list', 'src/read-plan/cursor.ts', 'origin === binding &&', '', '4.4.10'],
    ['searches may be longer', 'src/limits.ts', '  searchLength: 200,', '  searchLength: 300,', '12.2.33'],
    [
      'summaries count values',
      'src/store/sql/list/summary.ts',
      "return 'count(*)'",
      "return 'count(*) + 1'",
      '12.2.23,12.2.20',
    ],
    [
      'the least is the greatest',
      'src/store/sql/list/summary.ts',
      'return `${column.of}(r.measure${column.index})`',
      'return `max(r.measure${column.index})`',
      '12.2.26',
    ],
    [
      'groups are not sorted',
      'src/store/sql/list/summary.ts',
      "shape.sort.length === 0 ? '' : ` order by ${orderSql(shape, key, sql)}`",
      "''",
      '12.2.27',
    ],
    [
      'sorts leave groups out of order',
      'src/action/question/summary-request.ts',
      'descending: boolean): SortKey => {\n    const { group, unit }',
      'descending2: boolean): SortKey => {\n    const descending = !descending2\n    const { group, unit }',
      '12.2.27',
    ],
    [
      'cursors of groups fit every order',
      'src/action/question/summary-request.ts',
      'zone.name, this.#sort.map(keyName))',
      'zone.name)',
      '12.2.28',
    ],
    [
      'cursors are read loosely',
      'src/read-plan/cursor.ts',
      "if (bytes.toString('base64url') !== text) return null",
      '',
      '4.4.10',
    ],
  ]),
  ...of('helpdesk', [
    [
      'searches stop at the ticket',
      'examples/helpdesk/ticket.ts',
      "search: ['subject', 'body', 'messages.body'],",
      "search: ['subject', 'body'],",
      '12.2.10',
    ],
  ]),
]
