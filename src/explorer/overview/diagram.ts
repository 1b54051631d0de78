// Draws states with moves, and resources with relations, as SVG in the page's colours.

import { loadOptional } from '../../dependency/optional-package.ts'
import { escaped } from '../../http/message/html.ts'

export interface Graph {
  /** The accessible name. */
  readonly title: string
  readonly direction: 'down' | 'right'
  /** `to`: a link on the page. */
  readonly nodes: readonly { readonly name: string; readonly to?: string }[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[]
}

/** Rejects with MissingPackage if the layout library is not installed. */
export async function loadDiagrams(): Promise<(graph: Graph) => string> {
  const { graphlib, layout } = await loadOptional('@dagrejs/dagre', 'The pictures of /docs are drawn', () =>
    import('@dagrejs/dagre').then(({ default: dagre }) => dagre),
  )
  return (graph) => {
    const placed = new graphlib.Graph({ multigraph: false })
    placed.setGraph({ rankdir: graph.direction === 'down' ? 'TB' : 'LR', nodesep: 28, edgesep: 16, ranksep: 44 })
    placed.setDefaultEdgeLabel(() => ({}))
    for (const { name } of graph.nodes) placed.setNode(name, { width: widthOf(name) + 28, height: 34 })
    for (const { from, to, labels } of arrows(graph)) {
      const width = Math.max(...labels.map(widthOf)) * small + 12
      placed.setEdge(from, to, { labels, width, height: labels.length * lineHeight, labelpos: 'c' })
    }
    layout(placed)
    return svg(graph, placed as unknown as Placed)
  }
}

/** The parts of dagre's result in use. */
interface Placed {
  graph(): { readonly width: number; readonly height: number }
  node(name: string): { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  edges(): readonly { readonly v: string; readonly w: string }[]
  edge(of: { readonly v: string; readonly w: string }): {
    readonly points: readonly Point[]
    readonly labels: readonly string[]
    readonly x: number
    readonly y: number
  }
}
interface Point {
  readonly x: number
  readonly y: number
}

// Estimated average widths, as there is no browser to measure text.
const widthOf = (text: string): number => text.length * 8.2
const small = 0.85
const lineHeight = 16
const margin = 12

/** Parallel edges share an arrow. */
function arrows({ edges }: Graph) {
  const groups = Map.groupBy(edges, ({ from, to }) => `${from} ${to}`)
  return [...groups.values()].map((group) => ({
    from: group[0]!.from,
    to: group[0]!.to,
    labels: group.map(({ label }) => label),
  }))
}

function svg({ title, nodes }: Graph, placed: Placed): string {
  const { width, height } = placed.graph()
  const [wide, high] = [width + 2 * margin, height + 2 * margin].map(Math.ceil) as [number, number]
  return [
    // Screen readers treat an image as one element, but must reach its links.
    `<svg class="diagram" role="${nodes.some(({ to }) => to !== undefined) ? 'group' : 'img'}" aria-label="${escaped(title)}" viewBox="${-margin} ${-margin} ${wide} ${high}" width="${wide}" height="${high}">`,
    ...placed.edges().map((each) => arrow(placed.edge(each))),
    ...nodes.map(({ name, to }) => box(name, to, placed.node(name))),
    ...placed.edges().flatMap((each) => labelsOf(placed.edge(each))),
    '</svg>',
  ].join('\n')
}

function arrow({ points }: ReturnType<Placed['edge']>): string {
  const [before, end] = points.slice(-2) as [Point, Point]
  return `<path class="edge" d="${curve(points)}"/><path class="tip" d="${tip(before, end)}"/>`
}

/** Straight segments with rounded corners, to follow dagre's route around boxes. */
function curve(points: readonly Point[]): string {
  const corners = points.slice(1, -1).map((corner, at) => {
    const [before, after] = [points[at]!, points[at + 2]!]
    return `L ${at2(towards(corner, before))} Q ${at2(corner)} ${at2(towards(corner, after))}`
  })
  return [`M ${at2(points[0]!)}`, ...corners, `L ${at2(points.at(-1)!)}`].join(' ')
}
const cornerRadius = 14
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const part = Math.min(cornerRadius, length / 2) / Math.max(length, 1)
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}
const at2 = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`

function tip(from: Point, to: Point): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x)
  const corner = (turn: number): Point => ({
    x: to.x - 9 * Math.cos(angle + turn),
    y: to.y - 9 * Math.sin(angle + turn),
  })
  return `M ${at2(to)} L ${at2(corner(0.45))} L ${at2(corner(-0.45))} Z`
}

function box(name: string, to: string | undefined, { x, y, width, height }: ReturnType<Placed['node']>): string {
  const rectangle = `<rect class="node" x="${(x - width / 2).toFixed(1)}" y="${(y - height / 2).toFixed(1)}" width="${width.toFixed(1)}" height="${height}" rx="6"/>`
  const text = `<text class="name" x="${x.toFixed(1)}" y="${(y + 5).toFixed(1)}">${escaped(name)}</text>`
  return to === undefined ? rectangle + text : `<a href="${escaped(to)}">${rectangle}${text}</a>`
}

const labelsOf = ({ labels, x, y }: ReturnType<Placed['edge']>): readonly string[] =>
  labels.map((label, at) => {
    const line = y + (at - (labels.length - 1) / 2) * lineHeight + 4
    return `<text class="label" x="${x.toFixed(1)}" y="${line.toFixed(1)}">${escaped(label)}</text>`
  })
