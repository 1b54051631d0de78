// The front page as HTML, readable and printable without scripts, which only send requests.

import { escaped } from '../../http/message/html.ts'
import type { Graph } from './diagram.ts'
import type {
  ActionOverview,
  CallOverview,
  EventOverview,
  FieldOverview,
  GraphqlCall,
  Overview,
  ResourceOverview,
  RestCall,
  Right,
  ScheduleOverview,
  StatesOverview,
} from './overview.ts'

export interface OverviewHtmlOptions {
  /** Null if the drawing library is not installed. */
  readonly draw: ((graph: Graph) => string) | null
  /** The address of the GraphQL explorer. */
  readonly explorer: string
}

export function overviewHtml(overview: Overview, options: OverviewHtmlOptions): string {
  const { title, description, resources, routes, schedules } = overview
  return [
    `<nav class="contents" aria-label="Resources"><ul>${resources.map(contentsLine).join('')}${routes.length === 0 ? '' : '<li><a href="#routes">Routes</a></li>'}${schedules.length === 0 ? '' : '<li><a href="#schedules">Schedules</a></li>'}</ul></nav>`,
    '<div class="overview">',
    `<header><h1>${escaped(title)}</h1>${description === '' ? '' : `<p>${escaped(description)}</p>`}${developmentNote}</header>`,
    relationsPicture(resources, options),
    ...resources.map((resource) => resourceSection(resource, overview, options)),
    routes.length === 0 ? '' : routesSection(routes, options),
    schedules.length === 0 ? '' : schedulesSection(schedules),
    '</div>',
  ].join('\n')
}

const contentsLine = ({ name, path }: ResourceOverview): string => `<li><a href="#${path}">${escaped(name)}</a></li>`

const picture = (graph: Graph, { draw }: OverviewHtmlOptions): string =>
  draw === null
    ? '<p class="missing-picture">For pictures: <code>npm install --save-dev @dagrejs/dagre</code></p>'
    : `<div class="picture" tabindex="0" role="group" aria-label="${escaped(graph.title)}">${draw(graph)}</div>`

/** A list and its inverse relation share a line. */
function relationsPicture(resources: readonly ResourceOverview[], options: OverviewHtmlOptions): string {
  const edges = resources.flatMap(({ name, relations }) =>
    relations.filter(({ isList }) => !isList).map((each) => ({ from: name, to: each.target, label: each.name })),
  )
  const names = new Set(resources.map(({ name }) => name))
  const graph: Graph = {
    title: 'Which resource refers to which',
    direction: 'down',
    nodes: resources.map(({ name, path }) => ({ name, to: `#${path}` })),
    edges: edges.filter(({ to }) => names.has(to)),
  }
  return `<section aria-labelledby="relations"><h2 id="relations">Relations</h2>${picture(graph, options)}</section>`
}

function resourceSection(resource: ResourceOverview, overview: Overview, options: OverviewHtmlOptions): string {
  const { name, path, about, fields, states, actions, questions, events } = resource
  return [
    `<section class="resource" aria-labelledby="${path}">`,
    `<h2 id="${path}"><a href="#${path}">${escaped(name)}</a></h2>`,
    `<p>${escaped(about)}</p>`,
    fieldsTable(fields),
    states === null ? '' : statesPart(name, states, options),
    rightsTable(actions, overview.callers),
    `<h3>Calls</h3>`,
    ...actions.map((action) => actionPart(action, options)),
    ...questions.map((each) => callPart(each, options)),
    events.length === 0 ? '' : eventsPart(events),
    '</section>',
  ].join('\n')
}

function fieldsTable(fields: readonly FieldOverview[]): string {
  const rows = fields.map(({ rest, graphql, kind, about, notes }) => {
    const names = rest === graphql || rest === '' ? code(graphql) : `${code(rest)} <small>${code(graphql)}</small>`
    const marks = notes.map((note) => `<span class="note">${escaped(note)}</span>`).join(' ')
    return `<tr><th scope="row">${names}</th><td>${escaped(kind)} ${marks}</td><td>${escaped(about)}</td></tr>`
  })
  return `<div class="scroll" tabindex="0" role="group" aria-label="Fields"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Holds</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function statesPart(name: string, { names, moves }: StatesOverview, options: OverviewHtmlOptions): string {
  const graph: Graph = {
    title: `The states of ${name}`,
    direction: 'right',
    nodes: names.map((each) => ({ name: each })),
    edges: moves.flatMap((move) => move.from.map((from) => ({ from, to: move.to, label: move.name }))),
  }
  const lines = moves.map(
    ({ name: move, from, to }) =>
      `<li>${code(move)}: from ${from.map((each) => `<b>${escaped(each)}</b>`).join(' or ')} to <b>${escaped(to)}</b></li>`,
  )
  return `<h3>States</h3><p>A new one is <b>${escaped(names[0]!)}</b>.</p>${picture(graph, options)}<ul class="moves">${lines.join('')}</ul>`
}

const rightTexts: Readonly<Record<Right, string>> = {
  all: 'yes',
  own: 'own',
  inside: 'inside the tenant',
  some: 'some',
  none: 'no',
}

function rightsTable(actions: readonly ActionOverview[], callers: readonly string[]): string {
  const heads = callers.map((caller) => `<th scope="col">${escaped(caller)}</th>`).join('')
  const rows = actions.map(({ name, rights, rule }) => {
    const cells = rights.map((right) => `<td class="${right}">${rightTexts[right]}</td>`)
    return `<tr><th scope="row">${code(name)}</th>${cells.join('')}<td class="rule">${escaped(rule)}</td></tr>`
  })
  return `<h3>Who may what</h3><div class="scroll" tabindex="0" role="group" aria-label="Who may what"><table class="rights"><thead><tr><td></td>${heads}<th scope="col">Rule</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function actionPart(
  { name, about, isTimed, rule, rest, graphql }: ActionOverview,
  options: OverviewHtmlOptions,
): string {
  const line =
    rest === null
      ? isTimed
        ? 'by the clock only'
        : 'for effects only'
      : `<span class="method">${rest.method}</span> <code>${escaped(rest.pattern)}</code>`
  return [
    `<details class="action"><summary><b>${escaped(name)}</b> ${line}</summary>`,
    `<p>${escaped(about)} Allowed: ${escaped(rule)}.</p>`,
    rest === null ? '' : restPart(rest),
    graphql === null ? '' : graphqlPart(graphql, options),
    '</details>',
  ].join('\n')
}

function callPart({ name, about, rest, graphql }: CallOverview, options: OverviewHtmlOptions): string {
  const line = `<span class="method">${rest.method}</span> <code>${escaped(rest.pattern)}</code>`
  return `<details class="call"><summary><b>${escaped(name)}</b> ${line}</summary><p>${escaped(about)}</p>${restPart(rest)}${graphql === null ? '' : graphqlPart(graphql, options)}</details>`
}

const routesSection = (routes: readonly CallOverview[], options: OverviewHtmlOptions): string =>
  `<section class="routes" aria-labelledby="routes"><h2 id="routes"><a href="#routes">Routes</a></h2><p>The addresses of this service besides its resources.</p>${routes.map((each) => callPart(each, options)).join('\n')}</section>`

const schedulesSection = (schedules: readonly ScheduleOverview[]): string =>
  `<section aria-labelledby="schedules"><h2 id="schedules"><a href="#schedules">Schedules</a></h2><p>What this service does at certain times.</p><ul>${schedules.map(({ name, when }) => `<li><b>${escaped(name)}</b> ${escaped(when)}</li>`).join('')}</ul></section>`

/** (contract 4.15.3) */
const developmentNote =
  '<p class="note">Only in development. “Why?” shows which rule decides, with values of the record that its reader may not see.</p>'

function restPart({ method, path, body }: RestCall): string {
  return [
    `<form class="try" data-method="${method}">`,
    '<h4>REST</h4>',
    `<label>Path <input name="path" value="${escaped(path)}" spellcheck="false" autocomplete="off"></label>`,
    body === null
      ? ''
      : `<label>Body <textarea name="body" rows="${Math.min(12, body.split('\n').length)}" spellcheck="false">${escaped(body)}</textarea></label>`,
    `<button>Send ${method}</button> <output aria-live="polite"></output> <button type="button" class="why" hidden>Why?</button><pre class="answer" tabindex="0" hidden></pre>`,
    '</form>',
  ].join('\n')
}

function graphqlPart({ query, variables }: GraphqlCall, { explorer }: OverviewHtmlOptions): string {
  const to = `${explorer}?${new URLSearchParams({ query, variables })}`
  const shown = variables === '{}' ? query : `${query}\n\n# variables\n${variables}`
  return `<h4>GraphQL</h4><pre tabindex="0">${escaped(shown)}</pre><p><a href="${escaped(to)}">Open in GraphiQL</a></p>`
}

function eventsPart(events: readonly EventOverview[]): string {
  const lines = events.map(({ name, about, by, stream }) => {
    const whose = by === null ? '' : ` For the subscribers of its ${code(by)}.`
    return `<li>${code(name)}: ${escaped(about)}${whose} ${code(`GET ${stream}`)}</li>`
  })
  return `<h3>Events</h3><ul>${lines.join('')}</ul>`
}

const code = (text: string): string => `<code>${escaped(text)}</code>`
