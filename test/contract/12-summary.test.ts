// Summaries, row by row: what they are asked for by, the names of calendar units, exact numbers, orders and pages.

import { workshop } from '../support/domain/workshop.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'

const task = (more: object = {}) => ({ Task: { title: 'T', round: '{word}', owner: '{owner}', ...more } })
const summary = (
  clause: Row['clause'],
  it: string,
  given: Readonly<Record<string, object>>,
  [query, args, parts]: readonly [rest: string, args: string, parts: string],
  groups: readonly object[],
  as: Row['as'] = 'admin',
): Row => ({
  clause,
  it,
  as: as!,
  given: {
    owner: { User: { name: 'Owner' } },
    hidden: { User: { name: 'Hidden', isShown: false } },
    ...Object.fromEntries(Object.entries(given).map(([name, more]) => [name, task(more)])),
  },
  send: `GET /api/v2/tasks/summary?round={word}${query}`,
  answer: { status: 200, data: groups },
  also: {
    query: `{ taskSummary(filter: { round: "{word}" }${args}) { nodes { ${parts} } } }`,
  },
})
const refused = (clause: Row['clause'], it: string, query: string, field: string, args?: string): Row => ({
  clause,
  it,
  as: 'admin',
  send: `GET /api/v2/tasks/summary?${query}`,
  answer: { status: 400, code: 'VALIDATION_ERROR', field },
  ...(args === undefined ? {} : { also: `{ taskSummary(${args}) { nodes { count } } }` }),
})
const states = { a: { status: 'open', hours: 1 }, b: { status: 'done', hours: 2 }, c: { status: 'open', hours: 4 } }
const most = (2n ** 63n - 1n).toString()
const berlin = {
  a: { dueAt: new Date('2026-10-31T22:59:59.999Z') },
  b: { dueAt: new Date('2026-10-31T23:00:00.000Z') },
}
const inBerlin = (unit: string, ...names: readonly string[]) =>
  summary(
    '12.2.24',
    `by the ${unit} in Berlin`,
    berlin,
    [
      `&group_by=due_at:${unit}&time_zone=Europe/Berlin`,
      `, groupBy: [DUE_AT_${unit.toUpperCase()}], timeZone: "Europe/Berlin"`,
      'dueAt count',
    ],
    names.map((name) => ({ due_at: name, count: 2 / names.length })),
  )
const cached = (it: string, query: string, args: string, control: string): Row => ({
  clause: '12.2.31',
  it,
  send: `GET /api/v2/notices/summary?${query}`,
  answer: { status: 200, headers: { 'Cache-Control': control } },
  then: [
    {
      send: `GET /graphql?query=${encodeURIComponent(`{ noticeSummary(${args}) { nodes { count } } }`)}`,
      answer: { status: 200, headers: { 'Cache-Control': control } },
    },
  ],
})

clauses(
  '12.2 Summaries, row by row',
  [
    summary(
      '12.2.20',
      'how many there are of each, and what they come to',
      states,
      [
        '&group_by=status',
        ', groupBy: [STATUS]',
        'status count sum { hours } min { hours } max { hours } distinct { reviewerId }',
      ],
      [
        {
          status: 'done',
          count: 1,
          sum: { hours: '2' },
          min: { hours: 2 },
          max: { hours: 2 },
          distinct: { reviewer_id: 0 },
        },
        {
          status: 'open',
          count: 2,
          sum: { hours: '5' },
          min: { hours: 1 },
          max: { hours: 4 },
          distinct: { reviewer_id: 0 },
        },
      ],
    ),
    refused('12.2.21', 'what is not declared', 'group_by=title', 'group_by'),
    refused('12.2.21', 'a unit that there is not', 'group_by=due_on:hour', 'group_by'),
    refused('12.2.21', 'a unit of what has none', 'group_by=status:day', 'group_by'),
    refused(
      '12.2.38',
      'two through lists',
      'group_by=labels_name,marks_label_id',
      'group_by',
      'groupBy: [LABELS_NAME MARKS_LABEL_ID]',
    ),
    refused('12.2.21', 'one twice', 'group_by=status,status', 'group_by', 'groupBy: [STATUS STATUS]'),
    refused(
      '12.2.21',
      'one by two units',
      'group_by=due_at:day,due_at:year',
      'group_by',
      'groupBy: [DUE_AT_DAY DUE_AT_YEAR]',
    ),
    refused('12.2.21', 'the day twice', 'group_by=due_at,due_at:day', 'group_by', 'groupBy: [DUE_AT DUE_AT_DAY]'),
    summary(
      '12.2.37',
      'four at once',
      { a: {} },
      [
        '&group_by=status,priority,is_open,owner_id',
        ', groupBy: [STATUS PRIORITY IS_OPEN OWNER_ID]',
        'status priority isOpen ownerId',
      ],
      [{ status: 'open', priority: 'NORMAL', is_open: true, owner_id: '{owner}' }],
    ),
    refused(
      '12.2.21',
      'five',
      'group_by=status,priority,is_open,owner_id,hours',
      'group_by',
      'groupBy: [STATUS PRIORITY IS_OPEN OWNER_ID HOURS]',
    ),
    summary(
      '12.2.22',
      'what is hidden is in the group of null, and adds up to nothing',
      { a: { reviewer: '{hidden}', cost: '5.00' }, b: { reviewer: '{owner}', owner: '{viewer}', cost: '1.00' } },
      ['&group_by=reviewer_name', ', groupBy: [REVIEWER_NAME]', 'reviewerName count sum { cost } distinct { cost }'],
      [
        { reviewer_name: 'Owner', count: 1, sum: { cost: '1.00' }, distinct: { cost: 1 } },
        { reviewer_name: null, count: 1, sum: { cost: null }, distinct: { cost: 0 } },
      ],
      'viewer',
    ),
    summary(
      '12.2.23',
      'of nothing there is one group',
      {},
      ['', '', 'count sum { hours }'],
      [{ count: 0, sum: { hours: null } }],
    ),
    summary('12.2.23', 'and none where it is grouped', {}, ['&group_by=status', ', groupBy: [STATUS]', 'count'], []),
    inBerlin('hour', '2026-10-31T22:00:00.000Z', '2026-10-31T23:00:00.000Z'),
    inBerlin('day', '2026-10-31', '2026-11-01'),
    inBerlin('week', '2026-W44'),
    inBerlin('month', '2026-10', '2026-11'),
    inBerlin('quarter', '2026-Q4'),
    inBerlin('year', '2026'),
    summary(
      '12.2.39',
      'by the day in UTC, unless it says more',
      berlin,
      ['&group_by=due_at', ', groupBy: [DUE_AT]', 'dueAt count'],
      [{ due_at: '2026-10-31', count: 2 }],
    ),
    refused(
      '12.2.39',
      'a time zone that there is not',
      'time_zone=Europe/Atlantis',
      'time_zone',
      'timeZone: "Europe/Atlantis"',
    ),
    refused('12.2.39', 'an offset in place of a name', 'time_zone=%2B01:00', 'time_zone', 'timeZone: "+01:00"'),
    summary(
      '12.2.25',
      'beyond 64 bits',
      Object.fromEntries([...'abc'].map((name) => [name, { units: most }])),
      ['', '', 'sum { units } avg { units }'],
      [{ sum: { units: '27670116110564327421' }, avg: { units: `${most}.000000` } }],
    ),
    summary(
      '12.2.25',
      'and below',
      Object.fromEntries([...'abc'].map((name) => [name, { units: `-${most}` }])),
      ['', '', 'sum { units }'],
      [{ sum: { units: '-27670116110564327421' } }],
    ),
    summary(
      '12.2.25',
      'to the cent',
      { a: { cost: '0.10' }, b: { cost: '0.20' } },
      ['', '', 'sum { cost }'],
      [{ sum: { cost: '0.30' } }],
    ),
    summary(
      '12.2.26',
      'a third',
      { a: { hours: 1 }, b: { hours: 0 }, c: { hours: 0 } },
      ['', '', 'avg { hours }'],
      [{ avg: { hours: '0.333333' } }],
    ),
    ...(
      [
        [1, '0.015625'],
        [-1, '-0.015625'],
      ] as const
    ).map(([hours, average]) =>
      summary(
        '12.2.26',
        `of 64, ${hours}`,
        Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`t${at}`, { hours: at === 0 ? hours : 0 }])),
        ['', '', 'avg { hours }'],
        [{ avg: { hours: average } }],
      ),
    ),
    ...(
      [
        [1, '0.007812'],
        [3, '0.023438'],
      ] as const
    ).map(([hours, average]) =>
      summary(
        '12.2.26',
        `what lies in the midst goes to the even digit: of 128, ${hours}`,
        Object.fromEntries(Array.from({ length: 128 }, (_, at) => [`t${at}`, { hours: at === 0 ? hours : 0 }])),
        ['', '', 'avg { hours }'],
        [{ avg: { hours: average } }],
      ),
    ),
    summary(
      '12.2.27',
      'the most first',
      states,
      ['&group_by=status&sort=-count', ', groupBy: [STATUS], sort: [COUNT_DESC]', 'status'],
      [{ status: 'open' }, { status: 'done' }],
    ),
    summary(
      '12.2.27',
      'the least sum first',
      { a: { status: 'open', cost: '-7.00' }, b: { status: 'done', cost: '-6.99' } },
      ['&group_by=status&sort=sum_cost', ', groupBy: [STATUS], sort: [SUM_COST_ASC]', 'status'],
      [{ status: 'open' }, { status: 'done' }],
    ),
    refused('12.2.27', 'what it is not grouped by', 'sort=status', 'sort', 'sort: [STATUS_ASC]'),
    refused('12.2.27', 'one twice', 'sort=count,-count', 'sort', 'sort: [COUNT_ASC COUNT_DESC]'),
    refused('12.2.27', 'what is nothing of a group', 'group_by=status&sort=nothing', 'sort'),
    {
      clause: '12.2.28',
      it: 'a cursor of another time zone',
      as: 'admin',
      given: { owner: { User: { name: 'Owner' } }, a: task(berlin.a), b: task(berlin.b) },
      first: [
        {
          as: 'admin',
          send: 'GET /api/v2/tasks/summary?round={word}&group_by=due_at:month&time_zone=Europe/Berlin&limit=1',
          keep: { next: 'body.meta.next_cursor' },
        },
      ],
      send: 'GET /api/v2/tasks/summary?round={word}&group_by=due_at:month&limit=1&cursor={next}',
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'cursor' },
    },
    refused('12.2.28', 'more than a page', 'limit=101', 'limit'),
    refused('12.2.28', 'a page by its number', 'page=1', 'page'),
    {
      ...summary(
        '12.2.29',
        'narrowed as lists are',
        states,
        ['&group_by=status&min_hours=2', ', groupBy: [STATUS]', 'status'],
        [
          { status: 'done', count: 1 },
          { status: 'open', count: 1 },
        ],
      ),
      also: {
        query:
          '{ taskSummary(filter: { round: "{word}", minHours: 2 }, groupBy: [STATUS]) { nodes { status count } } }',
        answer: {
          data: [
            { status: 'done', count: 1 },
            { status: 'open', count: 1 },
          ],
        },
      },
    },
    {
      ...summary('12.2.29', 'by conditions', states, ['&where=hours+%3E+1&sort=-count', '', ''], [{ count: 2 }]),
      also: '{ taskSummary(where: { hours: { gt: 1 } }, filter: { round: "{word}" }) { nodes { count } } }',
    },
    {
      ...summary(
        '12.2.29',
        'by conditions as text',
        states,
        ['&where=hours+IN+(1,4)&group_by=status', '', ''],
        [{ status: 'open', count: 2 }],
      ),
      also: '{ taskSummary(whereText: "hours IN (1, 4)", groupBy: [STATUS], filter: { round: "{word}" }) { nodes { status count } } }',
    },
    {
      ...summary(
        '12.2.29',
        'what is hidden meets no condition',
        { a: { cost: '5.00' } },
        ['&where=cost+%3E+"1"', '', ''],
        [{ count: 0 }],
      ),
      as: 'viewer',
      also: '{ taskSummary(where: { cost: { gt: "1" } }, filter: { round: "{word}" }) { nodes { count } } }',
    },
    refused('12.2.29', 'a condition that is none', 'where=hours+%3E', 'where'),
    cached('of what everybody sees', 'group_by=title', 'groupBy: [TITLE]', 'public, max-age=60'),
    cached('of what only some see', 'group_by=author_name', 'groupBy: [AUTHOR_NAME]', 'public, no-cache'),
  ],
  { definition: workshop },
)
