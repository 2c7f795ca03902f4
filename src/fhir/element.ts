import { isDeepStrictEqual } from 'node:util'
import { FhirError, unsupportedElements } from './outcome'

/**
 * Reads an element of a resource and remembers what was read: `nothingLeft` refuses what `fromFhir`
 * has no place for. Values of the wrong type are refused with their expression (`Patient.name[0].family`).
 */
export class Element {
  readonly #value: Readonly<Record<string, unknown>>
  readonly #read = new Map<string, Element[]>()

  constructor(
    value: unknown,
    readonly expression: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw wrongType(expression, 'an object')
    this.#value = value as Record<string, unknown>
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name)
  }

  /** The expression of a child, for an error. */
  at(name: string): string {
    return `${this.expression}.${name}`
  }

  #take(name: string): unknown {
    if (!this.#read.has(name)) this.#read.set(name, [])
    return this.has(name) ? this.#value[name] : undefined
  }

  text(name: string): string | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value.trim() === '') throw wrongType(this.at(name), 'a text')
    return value
  }

  boolean(name: string): boolean | undefined {
    const value = this.#take(name)
    if (value !== undefined && typeof value !== 'boolean')
      throw wrongType(this.at(name), 'true or false')
    return value
  }

  number(name: string): number | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw wrongType(this.at(name), 'a number')
    return value
  }

  /** A value of any type, kept as it is. */
  any(name: string): unknown {
    return this.#take(name)
  }

  texts(name: string): string[] {
    return this.#list(name).map((value, at) => {
      if (typeof value !== 'string') throw wrongType(`${this.at(name)}[${at}]`, 'a text')
      return value
    })
  }

  one(name: string): Element | undefined {
    const value = this.#take(name)
    return value === undefined ? undefined : this.#child(name, value, this.at(name))
  }

  list(name: string): Element[] {
    return this.#list(name).map((value, at) => this.#child(name, value, `${this.at(name)}[${at}]`))
  }

  /** The first of a list; more than one have no place. */
  only(name: string): Element | undefined {
    const [first, ...more] = this.list(name)
    if (more.length > 0) throw unsupportedElements(more.map(({ expression }) => expression))
    return first
  }

  /** The id of a reference to a type: `Patient/<id>` or an address that ends so. */
  reference(name: string, type: string): string | undefined {
    const element = this.one(name)
    if (!element) return undefined
    element.ignore('display', 'type')
    const target = element.text('reference')
    const [kind, id = ''] = (target ?? '').split('/').slice(-2)
    if (kind !== type || !/^[A-Za-z0-9.-]{1,64}$/.test(id))
      throw new FhirError(422, 'value', `Refer to one ${type}.`, [element.expression])
    return id
  }

  /** Elements that carry nothing to store. */
  ignore(...names: string[]) {
    for (const name of names) this.#take(name)
  }

  /** Elements that are as the server itself shows them need no place: a client sends back what it read. */
  ignoreEqual(shown: Readonly<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(this.#value))
      if (!this.#read.has(name) && isDeepStrictEqual(value, shown[name])) this.#take(name)
  }

  /** Throws 422 with the expression of each element that nothing read. */
  nothingLeft() {
    const left = this.#unread()
    if (left.length > 0) throw unsupportedElements(left)
  }

  #unread(): string[] {
    return Object.keys(this.#value).flatMap((name) => {
      const children = this.#read.get(name)
      return children ? children.flatMap((child) => child.#unread()) : [this.at(name.slice(0, 64))]
    })
  }

  #list(name: string): unknown[] {
    const value = this.#take(name)
    if (value === undefined) return []
    if (!Array.isArray(value) || value.length === 0) throw wrongType(this.at(name), 'a list')
    return value
  }

  #child(name: string, value: unknown, expression: string): Element {
    const child = new Element(value, expression)
    this.#read.get(name)!.push(child)
    return child
  }
}

const wrongType = (expression: string, type: string) =>
  new FhirError(400, 'structure', `This must be ${type}.`, [expression])

/** A resource that a client sent, without what the server itself decides. */
export function resourceElement(value: unknown, type: string): Element {
  const element = new Element(value, type)
  const given = element.text('resourceType')
  if (given !== type)
    throw new FhirError(400, 'invalid', `This address takes a ${type}.`, ['resourceType'])
  element.ignore('id', 'meta', 'text', 'language', 'implicitRules')
  return element
}
