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
  '2 Reading.users': 'users: anyone.',
  '2 Reading.fields': 'email, preferences, email_verified: only that user and users:manage.',
  '2 Reading.posts': 'posts with published_at: anyone, others the author and EDITOR/ADMIN.',
  '2 Reading.comments': 'comments: as their post.',
  '2 Reading.articles': 'articles published: anyone, others the author and EDITOR/ADMIN.',
  '2 Reading.products': 'products: anyone.',
  '2 Reading.orders': 'orders: the owner and ADMIN.',
  '2 Reading.omitted': 'A field that the reader may not see is left out in REST.',
  '2 Reading.refused':
    'In GraphQL it is FORBIDDEN at its path and null goes up to the nearest nullable ancestor, one error for that region.',
  '2 Reading.sign-up': 'In the answer to sign-up the new user is its own reader.',
  '2 Roles.VIEWER':
    'VIEWER: comments create/edit_own/delete_own, orders create/pay_own/cancel_own, users edit_own, follow.',
  '2 Roles.EDITOR':
    "EDITOR: VIEWER's and posts/articles create, edit_own, delete_own, posts publish, articles submit/publish/reject.",
  '2 Roles.ADMIN': 'ADMIN: all, including users:manage, edit_any, delete_any, products.',
  '2 Roles.anonymous': 'Nobody signed in writes nothing but a sign-up.',
  '2 Roles.default': 'Every new sign-up is a VIEWER.',
  '2 Roles.self': 'deactivate is users:manage, also oneself.',
  '2 Roles.last': 'The last ACTIVE ADMIN cannot be suspended, deactivated, demoted or deleted (422).',
  '2 Writing.1': 'users: own name, bio, avatar_url, preferences.',
  '2 Writing.2': 'With users:manage also role, email_verified.',
  '2 Writing.3': 'Status only by its actions (as a field it is 400).',
  '2 Writing.4': 'email and password are set at sign-up, the password changes only by reset.',
  '2 Writing.5':
    'role or email_verified sent without users:manage is 403 (401 when nobody is signed in) and nothing is written.',
  '2 Writing.6': 'id, user_id, author_id, created_at and unknown names are 400.',
  '2 Methods.1': 'users have no batch and no update-many, on either face.',
  '2 Methods.2': 'orders: GET, POST and their actions; the rest all.',
  '2 Relations.1':
    'user.posts, user.followers, user.following, post.author, post.comments, comment.post, comment.author, article.author, order.user.',
  '2 Relations.2': 'Nested REST lists: /users/{id}/posts, /users/{id}/followers, /posts/{id}/comments.',
  '2 Follow.1': 'follow and unfollow answer 200 with that user, also when it was already so.',
  '2 Follow.2': 'Oneself is 422.',
  '2 Me.1': 'GET /users/me is the caller.',
  '2 Filters.1': 'The filters of each resource.',
  '2 Filters.2': 'Filters by status and role of users need users:manage; without it 403.',
  '2 Sorts.1': 'The sorts of each resource.',
  '2 Sorts.2': 'The default sort is -created_at.',
  '2 Integers.1': 'A larger order total, or mixed currencies, is 422.',
  '4 Paging.11': "id ends every sort, in the last field's direction.",
  '4 Paging.12': 'Null is greater than any value.',
  '4 Paging.13': 'Text sorts by code point, on both databases.',
} as const satisfies Readonly<Record<string, string>>

export type Clause = keyof typeof contract
