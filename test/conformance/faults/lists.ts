// Faults of lists, conditions and searches.
// biome-ignore-all lint/suspicious/noAssignInExpressions: each row is one expression.

import type { Fault } from '../faulty-proxy.ts'
import { body, ignored, isList, parameters } from './change.ts'

export const lists: readonly Fault[] = [
  { name: 'sort is ignored', breaks: '4.3.1,4.4.11', request: ignored('sort') },
  {
    name: 'sort takes one field',
    breaks: '4.3.1,4.4.11',
    request: parameters((all) => all.has('sort') && all.set('sort', all.get('sort')!.split(',')[0]!)),
  },
  {
    name: 'the minus of sort is ignored',
    breaks: '4.3.1,4.4.11',
    request: parameters((all) => all.has('sort') && all.set('sort', all.get('sort')!.replaceAll('-', ''))),
  },
  { name: 'fields is ignored', breaks: '4.3.2', request: ignored('fields') },
  { name: 'unknown parameters are ignored', breaks: '4.3.3', request: ignored('no_such_parameter') },
  {
    name: 'unknown fields are ignored',
    breaks: '4.3.3',
    request: parameters((all) => void (all.get('fields') === 'no_such_field' && all.delete('fields'))),
  },
  {
    name: 'unknown sorts are ignored',
    breaks: '4.3.3',
    request: parameters((all) => void (all.get('sort') === 'no_such_field' && all.delete('sort'))),
  },
  {
    name: 'the last of two parameters counts',
    breaks: '4.3.3',
    request: parameters((all) => void (all.getAll('limit').length > 1 && all.set('limit', '2'))),
  },
  {
    name: 'filters of one record are ignored',
    breaks: '4.3.5',
    request: (sent) => void (/\/post_\w+\?tag/.test(sent.target) && (sent.target = sent.target.split('?')[0]!)),
  },
  {
    name: 'lengths count UTF-16',
    breaks: '4.3.7',
    answer: (received, { body: sent }) =>
      void (/😀{200}/u.test(sent.toString()) && received.status === 201 && (received.status = 400)),
  },
  {
    name: 'malformed ids are 400',
    breaks: '4.3.8',
    answer: (received, { target }) =>
      void (received.status === 404 && target.endsWith('/x') && (received.status = 400)),
  },
  {
    name: 'pages begin at 0',
    breaks: '4.4.1',
    request: parameters((all) => all.has('page') && all.set('page', String(Number(all.get('page')) + 1))),
  },
  {
    name: 'total counts the page',
    breaks: '4.4.1',
    answer: body((json) => void (json.meta?.total !== undefined && (json.meta.total = json.data.length))),
  },
  {
    name: 'has_next is always true',
    breaks: '4.4.1,4.4.8',
    answer: body((json) => void (json.meta?.has_next === false && (json.meta.has_next = true))),
  },
  {
    name: 'has_prev is missing',
    breaks: '4.4.1',
    answer: body((json) => void (json.meta && delete json.meta.has_prev)),
  },
  {
    name: 'total_pages is rounded down',
    breaks: '4.4.1',
    answer: body(
      (json) =>
        void (json.meta?.total_pages && (json.meta.total_pages = Math.floor(json.meta.total / json.meta.per_page))),
    ),
  },
  {
    name: 'cursor mode counts',
    breaks: '4.4.2',
    answer: body((json) => void (json.meta && 'next_cursor' in json.meta && (json.meta.total = 3))),
  },
  {
    name: 'page and cursor together',
    breaks: '4.4.4',
    request: parameters((all) => void (all.has('page') && all.delete('cursor'))),
  },
  {
    name: 'limit and per_page together',
    breaks: '4.4.4',
    request: parameters((all) => void (all.has('limit') && all.delete('per_page'))),
  },
  {
    name: 'sizes are cut',
    breaks: '4.4.5',
    request: parameters((all) => void (Number(all.get('limit')) > 100 && all.set('limit', '100'))),
  },
  {
    name: 'page 0 is page 1',
    breaks: '4.4.5',
    request: parameters((all) => void (all.get('page') === '0' && all.set('page', '1'))),
  },
  {
    name: 'the default size is 25',
    breaks: '4.4.5',
    answer: body((json) => void (json.meta?.per_page === 20 && (json.meta.per_page = 25))),
  },
  {
    name: 'any page can be requested',
    breaks: '4.4.6',
    request: parameters((all) => void (Number(all.get('page')) > 101 && all.set('page', '101'))),
  },
  {
    name: 'pages past the end are 404',
    breaks: '4.4.7',
    answer: (received, { target }) =>
      void (/page=9\b/.test(target) && received.status === 200 && (received.status = 404)),
  },
  {
    name: 'the last page has a cursor',
    breaks: '4.4.8',
    answer: body((json) => void (json.meta?.next_cursor === null && (json.meta.next_cursor = json.meta.prev_cursor))),
  },
  {
    name: 'no prev_cursor',
    breaks: '4.4.8',
    answer: body((json) => void (json.meta && 'prev_cursor' in json.meta && (json.meta.prev_cursor = null))),
  },
  {
    name: 'a page repeats a record',
    breaks: '4.4.8',
    answer: body((json) => void (isList(json) && json.data.length > 1 && (json.data[1] = json.data[0]))),
  },
  {
    name: 'a page loses a record',
    breaks: '4.4.8,4.4.9',
    answer: body((json) => void (isList(json) && json.data.length > 1 && json.data.pop())),
  },
  {
    name: 'cursors fit every list',
    breaks: '4.4.10',
    request: parameters((all) => void (all.has('cursor') && all.has('sort') && all.delete('cursor'))),
  },
  {
    name: 'unreadable cursors begin again',
    breaks: '4.4.10',
    request: parameters((all) => void (all.get('cursor') === 'x' && all.delete('cursor'))),
  },
  {
    name: 'totals count hidden records',
    breaks: '4.4.14',
    answer: body(
      (json, _, { headers }) =>
        void (headers['authorization'] === undefined && json.meta?.total !== undefined && (json.meta.total += 1)),
    ),
  },
  {
    name: 'the oldest come first',
    breaks: '2.3.4,4.4.8',
    request: parameters(
      (all) => void (!all.has('sort') && !all.has('cursor') && all.has('where') && all.set('sort', 'created_at')),
    ),
  },
  { name: 'where is ignored', breaks: '12.1.1,12.1.2', request: ignored('where') },
  {
    name: 'NOT is ignored',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('NOT ', ''))),
  },
  {
    name: '<= is <',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('<=', '<'))),
  },
  {
    name: '>= is >',
    breaks: '12.1.2',
    request: parameters((all) => all.has('where') && all.set('where', all.get('where')!.replace('>=', '>'))),
  },
  {
    name: 'AND binds before OR',
    breaks: '12.1.16',
    request: parameters(
      (all) => all.has('where') && all.set('where', all.get('where')!.replace(/^(.* AND .*) OR /, '($1) OR ')),
    ),
  },
  {
    name: 'empty conditions are ignored',
    breaks: '12.1.16',
    request: parameters((all) => void (all.get('where') === '' && all.delete('where'))),
  },
  {
    name: 'conditions are not bounded',
    breaks: '12.1.9',
    request: parameters((all) => void ((all.get('where')?.length ?? 0) > 250 && all.delete('where'))),
  },
  {
    name: 'now is the beginning of time',
    breaks: '12.1.7',
    request: parameters(
      (all) =>
        all.has('where') &&
        all.set('where', all.get('where')!.replace('now - 1d', '"1970-01-01T00:00:00.000Z"').replace('>', '<')),
    ),
  },
  {
    name: 'cursors fit every condition',
    breaks: '12.1.11',
    request: parameters((all) => void (/ "\)$/.test(all.get('where') ?? '') && all.delete('cursor'))),
  },
  {
    name: 'conditions can be kept',
    breaks: '12.1.12',
    answer: (received, { target }) =>
      void (target.includes('where=') && (received.headers['cache-control'] = 'public, max-age=60')),
  },
  {
    name: 'values out of bounds are 400',
    breaks: '12.1.15',
    answer: (received, { target }) => void (/x{200}/.test(target) && (received.status = 400)),
  },
  { name: 'q is ignored', breaks: '12.2', request: ignored('q') },
  {
    name: 'searches tell case',
    breaks: '12.2.12',
    request: parameters((all) => all.has('q') && /[A-Z]/.test(all.get('q')!) && all.set('q', 'nothing-at-all')),
  },
  {
    name: 'excluded words are ignored',
    breaks: '12.2.13',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.replace(/ -\w+/, ''))),
  },
  {
    name: 'phrases are words',
    breaks: '12.2.13',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.replaceAll('"', ''))),
  },
  {
    name: 'long searches are cut',
    breaks: '12.2.33',
    request: parameters((all) => all.has('q') && all.set('q', all.get('q')!.slice(0, 20))),
  },
  {
    name: 'searches can be kept',
    breaks: '12.2.18',
    answer: (received, { target }) =>
      void (target.includes('q=') && (received.headers['cache-control'] = 'public, max-age=60')),
  },
  {
    name: 'summaries count one more',
    breaks: '12.2.23',
    answer: body(
      (json, _, { target }) =>
        void (target.includes('/summary') && json.data?.[0]?.count !== undefined && (json.data[0].count += 1)),
    ),
  },
  {
    name: 'groups without records',
    breaks: '12.2.23',
    answer: body(
      (json, _, { target }) =>
        void (/summary\?.*group_by/.test(target) && json.data?.length === 0 && json.data.push({ count: 0 })),
    ),
  },
  {
    name: 'unknown groups are ignored',
    breaks: '12.2.21',
    request: parameters((all) => void (all.get('group_by') === 'no_such_field' && all.delete('group_by'))),
  },
]
