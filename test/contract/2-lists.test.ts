// The lists of each resource: their filters, their orders, and what hangs below a record.

import { clauses, type Row } from '../support/clauses.ts'
import type { Recipes } from '../support/fixtures.ts'
import type { Caller } from '../support/service.ts'
import { actionTwin, createTwin } from '../support/twin.ts'

const day = (number: number) => new Date(Date.UTC(2026, 0, number))
const ids = (...names: readonly string[]) => names.map((name) => ({ id: `{${name}}` }))
const post = (title: string, more: object = {}) => ({
  Post: { title, content: 'C', author: '{writer}', publishedAt: day(1), ...more },
})
const product = (name: string, more: object = {}) => ({
  Product: { name, category: '{word}', price: 100, currency: 'EUR', stock: 1, ...more },
})
const order = (status: string, more: object = {}) => ({
  Order: {
    user: '{buyer}',
    status,
    items: [{ product: '{thing}', quantity: 1, unitPrice: 100 }],
    total: 100,
    currency: 'EUR',
    ...more,
  },
})

/** A list through both faces: these records, in this order. */
const list = (
  clause: Row['clause'],
  it: string,
  given: Recipes,
  [path, query]: readonly [path: string, query: string],
  also: string,
  names: readonly string[],
  as: Caller = 'admin',
): Row => ({
  clause,
  it,
  as,
  given,
  send: `GET /api/v2/${path}?${query}`,
  also: `{ ${also.includes('(') ? also : `${path}(${also})`} { nodes { id } } }`,
  answer: { status: 200, data: ids(...names) },
})
/** The same records in any order. */
const anyOrder = (row: Row, names: readonly string[]): Row => ({
  ...row,
  answer: { status: 200, data: Array(names.length).fill({}) },
})

const posts = {
  a: post('A', { tags: ['x', 'y'], createdAt: day(1) }),
  b: post('B', { tags: ['y'], publishedAt: null, createdAt: day(2) }),
  c: post('C', { tags: [], author: '{other editor}', createdAt: day(3) }),
}
const comments = {
  c1: { Comment: { post: '{post}', author: '{writer}', content: 'C', createdAt: day(1) } },
  c2: { Comment: { post: '{other post}', author: '{writer}', content: 'C', createdAt: day(2) } },
}
const articles = {
  d: { Article: { title: 'D', body: 'B', author: '{writer}', status: 'draft', createdAt: day(1) } },
  p: { Article: { title: 'P', body: 'B', author: '{writer}', status: 'published', createdAt: day(2) } },
}
/** Each row's products have a category of their own, so that rows do not see each other's. */
const products = {
  cheap: product('Cheap', { price: 100, createdAt: day(1) }),
  fair: product('Fair', { price: 200, createdAt: day(2) }),
  dear: product('Dear', { price: 300, createdAt: day(3) }),
}
const orders = {
  thing: { Product: { name: 'Thing', category: 'c', price: 100, currency: 'EUR', stock: 1 } },
  other: { Product: { name: 'Other', category: 'c', price: 100, currency: 'EUR', stock: 1 } },
  buyer: { User: { name: 'Buyer' } },
  o1: order('pending', { createdAt: day(1), total: 300 }),
  o2: order('paid', { createdAt: day(2), total: 200 }),
  o3: order('pending', {
    createdAt: day(3),
    items: [
      { product: '{thing}', quantity: 1, unitPrice: 100 },
      { product: '{other}', quantity: 1, unitPrice: 100 },
    ],
  }),
}

clauses('2 Filters', [
  list(
    '2 Filters.1',
    'posts by author_id',
    posts,
    ['posts', 'author_id={writer}'],
    'filter: { authorId: "{writer}" }',
    ['b', 'a'],
  ),
  list(
    '2 Filters.1',
    'posts by tag',
    posts,
    ['posts', 'author_id={writer}&tag=x'],
    'filter: { authorId: "{writer}", tag: "x" }',
    ['a'],
  ),
  list(
    '2 Filters.1',
    'posts by a tag of several',
    posts,
    ['posts', 'author_id={writer}&tag=y'],
    'filter: { authorId: "{writer}", tag: "y" }',
    ['b', 'a'],
  ),
  list(
    '2 Filters.1',
    'posts by a tag that is part of another',
    posts,
    ['posts', 'author_id={writer}&tag=%25'],
    'filter: { authorId: "{writer}", tag: "%" }',
    [],
  ),
  list(
    '2 Filters.1',
    'posts that are published',
    posts,
    ['posts', 'author_id={writer}&published=true'],
    'filter: { authorId: "{writer}", published: true }',
    ['a'],
  ),
  list(
    '2 Filters.1',
    'posts that are not',
    posts,
    ['posts', 'author_id={writer}&published=false'],
    'filter: { authorId: "{writer}", published: false }',
    ['b'],
  ),
  list(
    '2 Filters.1',
    'posts that are not, to whom they are hidden',
    posts,
    ['posts', 'author_id={writer}&published=false'],
    'filter: { authorId: "{writer}", published: false }',
    [],
    'viewer',
  ),
  list(
    '2 Filters.1',
    'posts of nobody',
    {},
    ['posts', 'author_id=usr_00000000000000000000000000'],
    'filter: { authorId: "usr_00000000000000000000000000" }',
    [],
  ),
  list(
    '2 Filters.1',
    'comments by author_id',
    comments,
    ['comments', 'author_id={writer}'],
    'filter: { authorId: "{writer}" }',
    ['c2', 'c1'],
  ),
  list('2 Filters.1', 'comments by post_id', comments, ['comments', 'post_id={post}'], 'filter: { postId: "{post}" }', [
    'c1',
  ]),
  list(
    '2 Filters.1',
    'articles by author_id',
    articles,
    ['articles', 'author_id={writer}'],
    'filter: { authorId: "{writer}" }',
    ['p', 'd'],
  ),
  list(
    '2 Filters.1',
    'articles by status',
    articles,
    ['articles', 'author_id={writer}&status=draft'],
    'filter: { authorId: "{writer}", status: draft }',
    ['d'],
  ),
  list(
    '2 Filters.1',
    'articles by status, to whom they are hidden',
    articles,
    ['articles', 'author_id={writer}&status=draft'],
    'filter: { authorId: "{writer}", status: draft }',
    [],
    'viewer',
  ),
  list(
    '2 Filters.1',
    'products by category',
    products,
    ['products', 'category={word}'],
    'filter: { category: "{word}" }',
    ['dear', 'fair', 'cheap'],
  ),
  list(
    '2 Filters.1',
    'products by min_price, which is among them',
    products,
    ['products', 'category={word}&min_price=200'],
    'filter: { category: "{word}", minPrice: 200 }',
    ['dear', 'fair'],
  ),
  list(
    '2 Filters.1',
    'products by max_price, which is among them',
    products,
    ['products', 'category={word}&max_price=200'],
    'filter: { category: "{word}", maxPrice: 200 }',
    ['fair', 'cheap'],
  ),
  list(
    '2 Filters.1',
    'products by both',
    products,
    ['products', 'category={word}&min_price=101&max_price=299'],
    'filter: { category: "{word}", minPrice: 101, maxPrice: 299 }',
    ['fair'],
  ),
  list(
    '2 Filters.1',
    'orders by status',
    orders,
    ['orders', 'user_id={buyer}&status=paid'],
    'filter: { userId: "{buyer}", status: paid }',
    ['o2'],
  ),
  list('2 Filters.1', 'orders by user_id', orders, ['orders', 'user_id={buyer}'], 'filter: { userId: "{buyer}" }', [
    'o3',
    'o2',
    'o1',
  ]),
  list(
    '2 Filters.1',
    'orders by product_id',
    orders,
    ['orders', 'product_id={other}'],
    'filter: { productId: "{other}" }',
    ['o3'],
  ),
  list(
    '2 Filters.1',
    'orders by the user_id of somebody else',
    orders,
    ['orders', 'user_id={buyer}'],
    'filter: { userId: "{buyer}" }',
    [],
    'viewer',
  ),
  anyOrder(
    list(
      '2 Filters.2',
      'an admin filters users by status',
      { a: { User: { name: 'A', status: 'DEACTIVATED' } } },
      ['users', 'status=DEACTIVATED&limit=1'],
      'filter: { status: DEACTIVATED }, first: 1',
      ['a'],
    ),
    ['a'],
  ),
  anyOrder(
    list('2 Filters.2', 'an admin filters users by role', {}, ['users', 'role=ADMIN'], 'filter: { role: ADMIN }', [
      'admin',
    ]),
    ['admin'],
  ),
  ...(['status=ACTIVE', 'role=ADMIN'] as const).flatMap((filter): Row[] => {
    const [name, value] = filter.split('=')
    const also = `{ users(filter: { ${name}: ${value} }) { nodes { id } } }`
    return [
      {
        clause: '2 Filters.2',
        it: `nobody filters users by ${filter}`,
        send: `GET /api/v2/users?${filter}`,
        also,
        answer: { status: 401, code: 'UNAUTHENTICATED' },
      },
      {
        clause: '2 Filters.2',
        it: `a viewer does not filter users by ${filter}`,
        as: 'viewer',
        send: `GET /api/v2/users?${filter}`,
        also,
        answer: { status: 403, code: 'FORBIDDEN' },
      },
      {
        clause: '2 Filters.2',
        it: `an editor does not filter followers by ${filter}`,
        as: 'editor',
        send: `GET /api/v2/users/{viewer}/followers?${filter}`,
        also: `{ user(id: "{viewer}") { followers(filter: { ${name}: ${value} }) { id } } }`,
        answer: { status: 403, code: 'FORBIDDEN' },
      },
    ]
  }),
])

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

clauses('2 Sorts', [
  list('2 Sorts.2', 'the newest come first', posts, ['posts', writersPosts], ofWriter, ['b', 'a']),
  list(
    '2 Sorts.1',
    'posts by created_at',
    posts,
    ['posts', `${writersPosts}&sort=created_at`],
    `${ofWriter}, sort: [CREATED_AT_ASC]`,
    ['a', 'b'],
  ),
  list(
    '2 Sorts.1',
    'posts by -created_at',
    posts,
    ['posts', `${writersPosts}&sort=-created_at`],
    `${ofWriter}, sort: [CREATED_AT_DESC]`,
    ['b', 'a'],
  ),
  list(
    '4 Paging.13',
    'posts by title, in the order of code points',
    titled,
    ['posts', `${writersPosts}&sort=title`],
    `${ofWriter}, sort: [TITLE_ASC]`,
    inOrder,
  ),
  list(
    '4 Paging.13',
    'posts by -title, in the order of code points',
    titled,
    ['posts', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    inOrder.toReversed(),
  ),
  list(
    '4 Paging.12',
    'posts by published_at: null is greater than any value',
    dated,
    ['posts', `${writersPosts}&sort=published_at,title`],
    `${ofWriter}, sort: [PUBLISHED_AT_ASC, TITLE_ASC]`,
    ['p1', 'p2', 'n1', 'n2'],
  ),
  list(
    '4 Paging.12',
    'posts by -published_at: null comes first',
    dated,
    ['posts', `${writersPosts}&sort=-published_at`],
    `${ofWriter}, sort: [PUBLISHED_AT_DESC]`,
    ['n2', 'n1', 'p2', 'p1'],
  ),
  list(
    '4 Paging.11',
    'the id ends the sort, in the direction of the last field',
    dated,
    ['posts', `${writersPosts}&sort=title`],
    `${ofWriter}, sort: [TITLE_ASC]`,
    ['n1', 'n2', 'p2', 'p1'],
  ),
  list(
    '4 Paging.11',
    'the id ends the sort, descending with the last field',
    dated,
    ['posts', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    ['p1', 'p2', 'n2', 'n1'],
  ),
  list(
    '2 Sorts.1',
    'comments by created_at',
    comments,
    ['comments', `${writersPosts}&sort=created_at`],
    `${ofWriter}, sort: [CREATED_AT_ASC]`,
    ['c1', 'c2'],
  ),
  list(
    '2 Sorts.1',
    'articles by title',
    articles,
    ['articles', `${writersPosts}&sort=-title`],
    `${ofWriter}, sort: [TITLE_DESC]`,
    ['p', 'd'],
  ),
  list(
    '2 Sorts.1',
    'products by name',
    prices,
    ['products', 'category={word}&sort=name'],
    'filter: { category: "{word}" }, sort: [NAME_ASC]',
    ['a', 'b', 'c'],
  ),
  list(
    '2 Sorts.1',
    'products by -price,name',
    prices,
    ['products', 'category={word}&sort=-price,name'],
    'filter: { category: "{word}" }, sort: [PRICE_DESC, NAME_ASC]',
    ['a', 'c', 'b'],
  ),
  list(
    '2 Sorts.1',
    'orders by total',
    orders,
    ['orders', 'user_id={buyer}&sort=total'],
    'filter: { userId: "{buyer}" }, sort: [TOTAL_ASC]',
    ['o3', 'o2', 'o1'],
  ),
  {
    clause: '2 Sorts.1',
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
      clause: '2 Sorts.1',
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

const follow = (as: Caller, action = 'follow') => ({ as, send: `POST /api/v2/users/{member}/${action}` }) as const
const notAllowed = (method: string, path: string, allow: string, body?: unknown): Row => ({
  clause: path.startsWith('orders') ? '2 Methods.2' : '2 Methods.1',
  it: `${method} ${path} is not there`,
  as: 'admin',
  send: `${method} /api/v2/${path}`,
  ...(body === undefined ? {} : { body }),
  answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: allow } },
})
const one = 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'

clauses('2 Methods and relations', [
  notAllowed('POST', 'users/batch', one, { users: [] }),
  notAllowed('PATCH', 'users', 'GET, HEAD, POST, OPTIONS', { ids: [] }),
  notAllowed('PUT', 'orders/{pending order}', 'GET, HEAD, OPTIONS', {}),
  notAllowed('PATCH', 'orders/{pending order}', 'GET, HEAD, OPTIONS', {}),
  notAllowed('DELETE', 'orders/{pending order}', 'GET, HEAD, OPTIONS'),
  notAllowed('PATCH', 'orders', 'GET, HEAD, POST, OPTIONS', { ids: [] }),
  {
    clause: '2 Methods.1',
    it: 'GraphQL has neither createUsers nor updateUsers',
    as: 'admin',
    also: '{ __type(name: "Mutation") { fields { name } } }',
    answer: {
      status: 200,
      body: {
        data: (data: { __type: { fields: { name: string }[] } }) => {
          const names = data.__type.fields.map((each) => each.name)
          return names.includes('createPosts') && !names.includes('createUsers') && !names.includes('updateUsers')
        },
      },
    },
  },
  {
    clause: '2 Methods.2',
    it: 'orders are paid and cancelled, and GraphQL does not update them',
    as: 'viewer',
    send: 'POST /api/v2/orders/{pending order}/pay',
    also: actionTwin('pay', 'Order', '{pending order}', 'status'),
    answer: { status: 200, data: { status: 'paid' } },
    then: [
      {
        as: 'viewer',
        also: 'mutation { updateOrder(id: "{pending order}") { id } }',
        answer: { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ],
  },
  {
    clause: '2 Relations.1',
    it: 'every relation leads where it says',
    as: 'viewer',
    given: { 'own comment': { Comment: { post: '{post}', author: '{viewer}', content: 'C' } } },
    also: `{ comment(id: "{own comment}") { post { id comments { id } author { id } } author { id } } }`,
    answer: {
      status: 200,
      body: {
        data: {
          comment: {
            post: { id: '{post}', comments: [{ id: '{own comment}' }], author: { id: '{editor}' } },
            author: { id: '{viewer}' },
          },
        },
      },
    },
    then: [
      {
        also: '{ article(id: "{published article}") { author { id } } }',
        answer: { status: 200, data: { author_id: '{editor}' } },
      },
      {
        as: 'viewer',
        also: '{ order(id: "{pending order}") { user { id } } }',
        answer: { status: 200, data: { user_id: '{viewer}' } },
      },
    ],
  },
  {
    clause: '2 Relations.1',
    it: 'followers and following are two ends of one',
    first: [follow('{writer}')],
    also: '{ user(id: "{member}") { followers { id following { id } } following { id } } }',
    answer: {
      status: 200,
      body: { data: { user: { followers: [{ id: '{writer}', following: [{ id: '{member}' }] }], following: [] } } },
    },
  },
  {
    clause: '2 Relations.2',
    it: '/users/{id}/posts',
    given: posts,
    as: 'admin',
    send: 'GET /api/v2/users/{writer}/posts?sort=title',
    answer: { status: 200, data: ids('a', 'b'), meta: { total: 2 } },
  },
  {
    clause: '2 Relations.2',
    it: '/users/{id}/followers, with the newest user first',
    first: [follow('{writer}'), follow('viewer')],
    given: { writer: { User: { name: 'W' } } },
    send: 'GET /api/v2/users/{member}/followers',
    answer: { status: 200, data: ids('writer', 'viewer'), meta: { total: 2 } },
  },
  {
    clause: '2 Relations.2',
    it: '/posts/{id}/comments, narrowed by a filter',
    given: {
      mine: { Comment: { post: '{post}', author: '{viewer}', content: 'C' } },
      theirs: { Comment: { post: '{post}', author: '{editor}', content: 'C' } },
    },
    send: 'GET /api/v2/posts/{post}/comments?author_id={editor}',
    answer: { status: 200, data: ids('theirs'), meta: { total: 1 } },
  },
  {
    clause: '2 Relations.2',
    it: 'the lists of a user who is not there are not there',
    send: 'GET /api/v2/users/usr_00000000000000000000000000/posts',
    answer: { status: 404, code: 'USER_NOT_FOUND' },
  },
  {
    clause: '2 Relations.2',
    it: 'nothing hangs deeper than that',
    send: 'GET /api/v2/users/{editor}/posts/{other post}',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '2 Follow.1',
    it: 'follow answers the user that is followed',
    as: 'viewer',
    send: 'POST /api/v2/users/{member}/follow',
    also: actionTwin('follow', 'User', '{member}', 'id name'),
    answer: { status: 200, data: { id: '{member}', name: 'Member' } },
    then: [{ send: 'GET /api/v2/users/{member}/followers', answer: { status: 200, data: ids('viewer') } }],
  },
  {
    clause: '2 Follow.1',
    it: 'follow again is 200 and follows once',
    as: 'viewer',
    first: [follow('viewer')],
    send: 'POST /api/v2/users/{member}/follow',
    also: actionTwin('follow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
    then: [
      {
        send: 'GET /api/v2/users/{member}/followers',
        answer: { status: 200, data: ids('viewer'), meta: { total: 1 } },
      },
    ],
  },
  {
    clause: '2 Follow.1',
    it: 'unfollow ends it',
    as: 'viewer',
    first: [follow('viewer'), follow('editor')],
    send: 'POST /api/v2/users/{member}/unfollow',
    also: actionTwin('unfollow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
    then: [{ send: 'GET /api/v2/users/{member}/followers', answer: { status: 200, data: ids('editor') } }],
  },
  {
    clause: '2 Follow.1',
    it: 'unfollow of somebody not followed is 200',
    as: 'viewer',
    send: 'POST /api/v2/users/{member}/unfollow',
    also: actionTwin('unfollow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
  },
  ...['follow', 'unfollow'].map(
    (action): Row => ({
      clause: '2 Follow.2',
      it: `${action} oneself is 422`,
      as: 'viewer',
      send: `POST /api/v2/users/{viewer}/${action}`,
      also: actionTwin(action, 'User', '{viewer}', 'id'),
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'You cannot follow yourself.' },
    }),
  ),
  {
    clause: '2 Me.1',
    it: 'me is the caller',
    as: 'editor',
    send: 'GET /api/v2/users/me',
    also: '{ me { id email role } }',
    answer: { status: 200, data: { id: '{editor}', email: 'editor@example.com', role: 'EDITOR' } },
  },
  {
    clause: '2 Me.1',
    it: 'me is 401 where nobody is signed in',
    send: 'GET /api/v2/users/me',
    also: { query: '{ me { id } }', answer: { path: ['me'], body: { data: { me: null } } } },
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  {
    clause: '2 Me.1',
    it: 'me leads to the lists of the caller',
    as: '{writer}',
    given: posts,
    send: 'GET /api/v2/users/me/posts',
    also: { query: '{ me { posts { id } } }', answer: { data: { posts: ids('b', 'a') } } },
    answer: { status: 200, data: ids('b', 'a') },
  },
  {
    clause: '2 Integers.1',
    it: 'an order total over 2,147,483,647 is 422',
    as: 'viewer',
    given: { gold: { Product: { name: 'Gold', category: 'c', price: 2_147_483_647, currency: 'EUR', stock: 5 } } },
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{gold}', quantity: 2 }] },
    also: createTwin('Order', { items: [{ product_id: '{gold}', quantity: 2 }] }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
    then: [{ send: 'GET /api/v2/products/{gold}', answer: { status: 200, data: { stock: 5 } } }],
  },
  {
    clause: '2 Integers.1',
    it: 'an order total of exactly 2,147,483,647 is fine',
    as: 'viewer',
    given: { gold: { Product: { name: 'Gold', category: 'c', price: 2_147_483_647, currency: 'EUR', stock: 5 } } },
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{gold}', quantity: 1 }] },
    also: createTwin('Order', { items: [{ product_id: '{gold}', quantity: 1 }] }, 'total'),
    answer: { status: 201, data: { total: 2_147_483_647 } },
  },
  {
    clause: '2 Integers.1',
    it: 'two currencies in one order are 422',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: {
      items: [
        { product_id: '{product}', quantity: 1 },
        { product_id: '{dollar product}', quantity: 1 },
      ],
    },
    also: createTwin('Order', {
      items: [
        { product_id: '{product}', quantity: 1 },
        { product_id: '{dollar product}', quantity: 1 },
      ],
    }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'All items must have one currency.' },
    then: [{ send: 'GET /api/v2/products/{product}', answer: { status: 200, data: { stock: 10 } } }],
  },
])
