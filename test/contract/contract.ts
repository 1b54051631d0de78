// What the contract says, sentence by sentence, each under a number that rows name. A clause without a row fails a test.

export const contract = {
  '2 Ids.1': 'Identifiers are <prefix>_ + 26 characters of Crockford base32.',
  '2 Ids.2': 'Every resource has id, created_at, updated_at.',
  '2 Names.1': 'REST names are snake_case, GraphQL camelCase.',
  '2 Times.1': 'Timestamps are ISO 8601 UTC with milliseconds.',
  '2 Times.2': 'id, created_at and updated_at are never written by clients.',
  '2 Deletes.1': 'A deleted record is invisible on every path.',
  '2 Deletes.2': 'Nothing reads it back through a relation, count, cursor or filter.',
  '2 Deletes.3': 'Deleting a record deletes, in the same transaction, every record that requires it.',
  '2 Deletes.4': 'Orders stay for ADMIN, order.user is nullable.',
  '2 Status.1': "A user's status hides nothing: the records of suspended users stay readable.",
  '2 Unique.1': 'unique holds among living records.',
  '2 Fields.users':
    'users: name 1–100; email unique, lower-cased; bio ≤ 500 optional; avatar_url optional URL; preferences JSON object ≤ 4 KiB, default {}; password 8–200.',
  '2 Fields.posts': 'posts: title 1–200; content 1–50,000; tags ≤ 10 of 1–30, default none; published_at nullable.',
  '2 Fields.comments': 'comments: post_id; content 1–5,000.',
  '2 Fields.articles': 'articles: title 1–200; body 1–50,000; status.',
  '2 Fields.products':
    'products: name 1–200; category 1–50; price integer ≥ 0 in minor units; currency ISO 4217; stock integer ≥ 0.',
  '2 Fields.orders': 'orders: items 1–50 of {product_id, quantity 1–99}, answered with unit_price; total; currency.',
} as const satisfies Readonly<Record<string, string>>

export type Clause = keyof typeof contract
