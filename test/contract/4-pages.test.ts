// Pages by number: their limits, and where they end.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { exactly, of, page, refused } from '../support/rows/page.ts'

const total = { total: 5, total_pages: 3 }

clauses('4.4 Paging by number', [
  page('4.4.1', 'page with per_page', 'page=2&per_page=2', {
    status: 200,
    data: of('c', 'd'),
    meta: exactly({ page: 2, per_page: 2, ...total, has_next: true, has_prev: true }),
  }),
  page('4.4.1', 'page with limit', 'page=2&limit=2', {
    status: 200,
    data: of('c', 'd'),
    meta: exactly({ page: 2, per_page: 2, ...total, has_next: true, has_prev: true }),
  }),
  page('4.4.1', 'page alone', 'page=1', {
    status: 200,
    data: of('a', 'b', 'c', 'd', 'e'),
    meta: exactly({ page: 1, per_page: 20, total: 5, total_pages: 1, has_next: false, has_prev: false }),
  }),
  page('4.4.3', 'nothing', '', {
    status: 200,
    data: of('a', 'b', 'c', 'd', 'e'),
    meta: exactly({ page: 1, per_page: 20, total: 5, total_pages: 1, has_next: false, has_prev: false }),
  }),
  page('4.4.3', 'per_page alone', 'per_page=3', {
    status: 200,
    data: of('a', 'b', 'c'),
    meta: exactly({ page: 1, per_page: 3, total: 5, total_pages: 2, has_next: true, has_prev: false }),
  }),
  page('4.4.1', 'a full last page has no next', 'page=1&per_page=5', {
    status: 200,
    data: of('a', 'b', 'c', 'd', 'e'),
    meta: { has_next: false, total_pages: 1 },
  }),
  page('4.4.7', 'a page past the end is empty', 'page=4&per_page=2', {
    status: 200,
    data: [],
    meta: exactly({ page: 4, per_page: 2, ...total, has_next: false, has_prev: true }),
  }),
  page(
    '4.4.14',
    'the total counts what the reader may see',
    'per_page=100',
    { status: 200, meta: { total: 6 } },
    { as: 'editor' },
  ),
  page(
    '4.4.14',
    'the total counts what is left by the filter',
    'published=true',
    { status: 200, meta: { total: 5 } },
    { as: 'editor' },
  ),

  refused('4.4.4', 'page with cursor', 'page=1&cursor=x', 'cursor'),
  refused('4.4.4', 'limit with per_page', 'limit=1&per_page=1', 'limit'),
  ...['page', 'per_page', 'limit'].flatMap((name): Row[] => [
    ...['0', '-1', '01', '1.5', 'x', '1e1', '%31%20', '+1', '0x1', '١'].map((value) =>
      refused('4.4.5', `${name}=${value}`, `${name}=${encodeURI(value)}`, name),
    ),
    refused('4.3.3', `${name} without a value`, `${name}=`, name),
    refused('4.3.3', `${name} twice`, `${name}=1&${name}=1`, name),
  ]),
  ...['per_page', 'limit'].flatMap((name): Row[] => [
    { ...page('4.4.5', `${name} of 99`, `${name}=99`, { status: 200, data: of('a', 'b', 'c', 'd', 'e') }) },
    { ...page('4.4.5', `${name} of 100`, `${name}=100`, { status: 200, data: of('a', 'b', 'c', 'd', 'e') }) },
    refused('4.4.5', `${name} of 101`, `${name}=101`, name, /At most 100\./),
    refused('4.4.5', `${name} that is no number any more`, `${name}=${'9'.repeat(400)}`, name),
  ]),
  page('4.4.6', 'an offset of 9,900', 'page=100&per_page=100', { status: 200, data: [] }),
  page('4.4.6', 'an offset of 10,000', 'page=101&per_page=100', { status: 200, data: [] }),
  refused('4.4.6', 'an offset of 10,100', 'page=102&per_page=100', 'page', /is 101/),
  page('4.4.6', 'an offset of 10,000, of the usual size', 'page=501', { status: 200, data: [] }),
  refused('4.4.6', 'an offset of 10,020', 'page=502', 'page', /is 501/),
  page('4.4.6', 'an offset of 9,999', 'page=1112&per_page=9', { status: 200, data: [] }),
  refused('4.4.6', 'an offset of 10,008', 'page=1113&per_page=9', 'page', /is 1112/),
  refused('4.4.6', 'a page that is no number any more', `page=${'9'.repeat(400)}`, 'page', /is 501/),
])
