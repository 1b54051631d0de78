// The orders of each list: equal on both databases, for text, null and equal values.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { articles, comments, day, ids, list, orders, post, posts, product } from '../support/rows/list.ts'

/** Text in the order of code points: capitals, small letters, accents, and what UTF-16 would put in the wrong place. */
const titles = ['!', '1', 'A', 'Z', 'a', 'aa', 'b', 'z\u00e9', 'é', '\ufb00', '\uff5e', '\u{1f600}'] as const
const titled = Object.fromEntries([...titles.entries()].toReversed().map(([at, title]) => [`t${at}`, post(title)]))
const inOrder = titles.map((_, at) => `t${at}`)

const dated = {
  p2: post('P', { publishedAt: day(2) }),
  p1: post('P', { publishedAt: day(1) }),
  n1: post('N', { publishedAt: null }),
  n2: post('N', { publishedAt: null }),
}
const prices = {
  b: product('B', { price: 1 }),
  a: product('A', { price: 2 }),
  c: product('C', { price: 2 }),
}
const writersPosts = 'author_id={writer}'
const ofWriter = 'filter: { authorId: "{writer}" }'

clauses('2.3 Sorts', [
  list('2.3.4', 'the newest come first', posts, ['posts', writersPosts], ofWriter, ['b', 'a']),
  list(
    '2.3.3',
    'posts by created_at',
    posts,
    ['posts', `${writersPosts}&sort=created_at`],
    `${ofWriter}, sort: [CREATED_AT_ASC]`,
    ['a', 'b'],
  ),
  list(
    '2.3.3',
    'posts by -created_at',
    posts,
    ['posts', `${writersPosts}&sort=-created_at`],
    `${ofWriter}, sort: [CREATED_AT_DESC]`,
    ['b', 'a'],
  ),
  list(
    '4.4.13',
    'posts by title, in the order of code points',
    titled,
    ['posts', `${writersPosts}&sort=title`],
    `${ofWriter}, sort: [TITLE_ASC]`,
    inOrder,
  ),
  list(
    '4.4.13',
    'posts by -title, in the order of code points',
    titled,
    ['posts', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    inOrder.toReversed(),
  ),
  list(
    '4.4.12',
    'posts by published_at: null is greater than any value',
    dated,
    ['posts', `${writersPosts}&sort=published_at,title`],
    `${ofWriter}, sort: [PUBLISHED_AT_ASC, TITLE_ASC]`,
    ['p1', 'p2', 'n1', 'n2'],
  ),
  list(
    '4.4.12',
    'posts by -published_at: null comes first',
    dated,
    ['posts', `${writersPosts}&sort=-published_at`],
    `${ofWriter}, sort: [PUBLISHED_AT_DESC]`,
    ['n2', 'n1', 'p2', 'p1'],
  ),
  list(
    '4.4.11',
    'the id ends the sort, in the direction of the last field',
    dated,
    ['posts', `${writersPosts}&sort=title`],
    `${ofWriter}, sort: [TITLE_ASC]`,
    ['n1', 'n2', 'p2', 'p1'],
  ),
  list(
    '4.4.11',
    'the id ends the sort, descending with the last field',
    dated,
    ['posts', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    ['p1', 'p2', 'n2', 'n1'],
  ),
  list(
    '2.3.3',
    'comments by created_at',
    comments,
    ['comments', `${writersPosts}&sort=created_at`],
    `${ofWriter}, sort: [CREATED_AT_ASC]`,
    ['c1', 'c2'],
  ),
  list(
    '2.3.3',
    'articles by title',
    articles,
    ['articles', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    ['p', 'd'],
  ),
  list(
    '2.3.3',
    'products by name',
    prices,
    ['products', 'category={word}&sort=name'],
    'filter: { category: "{word}" }, sort: [NAME_ASC]',
    ['a', 'b', 'c'],
  ),
  list(
    '2.3.3',
    'products by -price,name',
    prices,
    ['products', 'category={word}&sort=-price,name'],
    'filter: { category: "{word}" }, sort: [PRICE_DESC, NAME_ASC]',
    ['a', 'c', 'b'],
  ),
  list(
    '2.3.3',
    'orders by total',
    orders,
    ['orders', 'user_id={buyer}&sort=total'],
    'filter: { userId: "{buyer}" }, sort: [TOTAL_ASC]',
    ['o3', 'o2', 'o1'],
  ),
  list(
    '2.3.3',
    'orders by the name of their buyer',
    orders,
    ['orders', 'user_id={buyer}&sort=user.name,total'],
    'filter: { userId: "{buyer}" }, sort: [USER_NAME_ASC, TOTAL_ASC]',
    ['o3', 'o2', 'o1'],
  ),
  list(
    '2.3.3',
    'posts by the name of their author',
    posts,
    ['posts', `${writersPosts}&sort=author.name,title`],
    `${ofWriter}, sort: [AUTHOR_NAME_ASC, TITLE_ASC]`,
    ['a', 'b'],
  ),
  {
    clause: '2.3.5',
    it: 'orders of each state, and what they come to',
    as: 'admin',
    given: orders,
    send: 'GET /api/v2/orders/summary?user_id={buyer}&group_by=status,created_at:month',
    also: '{ orderSummary(filter: { userId: "{buyer}" }, groupBy: [STATUS CREATED_AT_MONTH]) { nodes { status createdAt count sum { total } } } }',
    answer: {
      status: 200,
      data: [
        { status: 'cancelled', created_at: '2026-01', count: 2, sum: { total: '400' } },
        { status: 'paid', created_at: '2026-01', count: 1, sum: { total: '200' } },
      ],
    },
  },
  {
    clause: '2.3.5',
    it: 'products of a category',
    given: prices,
    send: 'GET /api/v2/products/summary?category={word}&group_by=category',
    also: '{ productSummary(filter: { category: "{word}" }, groupBy: [CATEGORY]) { nodes { category count max { price } } } }',
    answer: { status: 200, data: [{ category: '{word}', count: 3, max: { price: 2 } }] },
  },
  {
    clause: '2.3.5',
    it: 'posts of an author',
    as: 'admin',
    given: posts,
    send: 'GET /api/v2/posts/summary?author_id={writer}&group_by=author_name',
    also: '{ postSummary(filter: { authorId: "{writer}" }, groupBy: [AUTHOR_NAME]) { nodes { authorName count } } }',
    answer: { status: 200, data: [{ author_name: 'Writer', count: 2 }] },
  },
  {
    clause: '2.3.3',
    it: 'users by name',
    given: { zoe: { User: { name: 'Zoë' } }, ada: { User: { name: 'Ada' } } },
    first: [
      { as: '{zoe}', send: 'POST /api/v2/users/{member}/follow' },
      { as: '{ada}', send: 'POST /api/v2/users/{member}/follow' },
    ],
    send: 'GET /api/v2/users/{member}/followers?sort=name',
    also: {
      query: '{ user(id: "{member}") { followers(sort: [NAME_ASC]) { id } } }',
      answer: { data: { followers: ids('ada', 'zoe') } },
    },
    answer: { status: 200, data: ids('ada', 'zoe') },
  },
  ...(
    [
      ['users', 'email'],
      ['users', 'role'],
      ['posts', 'content'],
      ['posts', 'author_id'],
      ['comments', 'content'],
      ['articles', 'status'],
      ['products', 'stock'],
      ['orders', 'status'],
    ] as const
  ).map(
    ([path, field]): Row => ({
      clause: '2.3.3',
      it: `${path} are not sorted by ${field}`,
      as: 'admin',
      send: `GET /api/v2/${path}?sort=${field}`,
      also: {
        query: `{ ${path}(sort: [${field.toUpperCase()}_ASC]) { nodes { id } } }`,
        answer: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'sort' },
    }),
  ),
])
