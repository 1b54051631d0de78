// Prints GraphQL syntax trees. The library that prints them is larger than this client, and only executable definitions are sent.

export interface Node {
  readonly kind: string
}
type Part = Node | readonly Node[] | string | boolean | undefined
type Parts = { readonly [name: string]: Part }

export function printDocument(node: Node): string {
  const print = printers[node.kind]
  if (print === undefined) throw new Error(`A document cannot hold ${node.kind}.`)
  return print(node as unknown as Parts)
}

const one = (part: Part): string => (part === undefined ? '' : printDocument(part as Node))
const many = (part: Part, between = ' '): string => ((part ?? []) as readonly Node[]).map(printDocument).join(between)
const around = (before: string, text: string, after = ''): string => (text === '' ? '' : before + text + after)
const directives = ({ directives: part }: Parts): string => around(' ', many(part))

const printers: Readonly<Record<string, (parts: Parts) => string>> = {
  Document: ({ definitions }) => many(definitions, '\n'),
  OperationDefinition: (parts) =>
    `${parts['operation']}${around(' ', one(parts['name']))}${around('(', many(parts['variableDefinitions'], ', '), ')')}${directives(parts)} ${one(parts['selectionSet'])}`,
  FragmentDefinition: (parts) =>
    `fragment ${one(parts['name'])} on ${one(parts['typeCondition'])}${directives(parts)} ${one(parts['selectionSet'])}`,
  VariableDefinition: (parts) =>
    `${one(parts['variable'])}: ${one(parts['type'])}${around(' = ', one(parts['defaultValue']))}${directives(parts)}`,
  SelectionSet: ({ selections }) => `{ ${many(selections)} }`,
  Field: (parts) =>
    `${around('', one(parts['alias']), ': ')}${one(parts['name'])}${around('(', many(parts['arguments'], ', '), ')')}${directives(parts)}${around(' ', one(parts['selectionSet']))}`,
  FragmentSpread: (parts) => `...${one(parts['name'])}${directives(parts)}`,
  InlineFragment: (parts) =>
    `...${around(' on ', one(parts['typeCondition']))}${directives(parts)} ${one(parts['selectionSet'])}`,
  Directive: (parts) => `@${one(parts['name'])}${around('(', many(parts['arguments'], ', '), ')')}`,
  Argument: ({ name, value }) => `${one(name)}: ${one(value)}`,
  ObjectField: ({ name, value }) => `${one(name)}: ${one(value)}`,
  Name: ({ value }) => String(value),
  Variable: ({ name }) => `$${one(name)}`,
  NamedType: ({ name }) => one(name),
  ListType: ({ type }) => `[${one(type)}]`,
  NonNullType: ({ type }) => `${one(type)}!`,
  IntValue: ({ value }) => String(value),
  FloatValue: ({ value }) => String(value),
  BooleanValue: ({ value }) => String(value),
  EnumValue: ({ value }) => String(value),
  NullValue: () => 'null',
  // JSON strings are valid GraphQL strings.
  StringValue: ({ value }) => JSON.stringify(value),
  ListValue: ({ values }) => `[${many(values, ', ')}]`,
  ObjectValue: ({ fields }) => `{${many(fields, ', ')}}`,
}
