import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '~/shared/language'
import { guideFor, GUIDES } from '~/shell/guide'
import { CONTENTS, GUIDE_PAGES, guidePage } from './guide'
import { type Block, parseMarkdown, type Inline } from './markdown'

const plain = (line: readonly Inline[]) => line.map(({ text }) => text).join('')
const linesOf = (block: Block): Inline[][] => {
  if (block.kind === 'code') return []
  if (block.kind === 'list') return block.items
  return block.kind === 'table' ? [...block.head, ...block.rows.flat()] : [block.line]
}

describe('what the guide is written in', () => {
  test('headings, paragraphs over several lines, lists with long items, tables and code', () => {
    const blocks = parseMarkdown(
      '# Title\n\nOne line\nand its second.\n\n- first\n  goes on\n- second\n\n' +
        '| a | b |\n| --- | --- |\n| 1 | **2** |\n\n```\nnpm start\n# no heading\n```\n',
    )
    expect(blocks.map((block) => [block.kind, linesOf(block).map(plain)])).toEqual([
      ['heading', ['Title']],
      ['paragraph', ['One line and its second.']],
      ['list', ['first goes on', 'second']],
      ['table', ['a', 'b', '1', '2']],
      ['code', []],
    ])
    expect(blocks.at(-1)).toEqual({ kind: 'code', text: 'npm start\n# no heading' })
  })

  test('bold, code and links within a line, and signs that mean nothing', () => {
    const [paragraph] = parseMarkdown(
      'Say **what** `npm test` does, see [roles](roles.md) * [ ` #1',
    )
    expect(paragraph).toEqual({
      kind: 'paragraph',
      line: [
        { text: 'Say ' },
        { text: 'what', style: 'bold' },
        { text: ' ' },
        { text: 'npm test', style: 'code' },
        { text: ' does, see ' },
        { text: 'roles', href: 'roles.md' },
        { text: ' * [ ` #1' },
      ],
    })
  })

  test('a page that breaks off in the middle is read to its end', () => {
    expect(parseMarkdown('```\nnpm')).toEqual([{ kind: 'code', text: 'npm' }])
    expect(parseMarkdown('|')).toEqual([{ kind: 'paragraph', line: [{ text: '|' }] }])
  })
})

describe('the guide', () => {
  test('each page begins with its name', async () => {
    expect(GUIDE_PAGES).toContain(CONTENTS)
    for (const name of GUIDE_PAGES) {
      const page = await guidePage(name, 'en')
      expect([name, parseMarkdown(page!.markdown)[0]]).toMatchObject([
        name,
        { kind: 'heading', level: 1 },
      ])
    }
  })

  test('each page is there in Arabic, with the links of the English page and no stray marks', async () => {
    const linked = (blocks: Block[]) => [
      ...new Set(
        blocks
          .flatMap(linesOf)
          .flat()
          .flatMap(({ href }) => href ?? []),
      ),
    ]
    for (const name of GUIDE_PAGES) {
      const [english, arabic] = [await guidePage(name, 'en'), await guidePage(name, 'ar')]
      const blocks = parseMarkdown(arabic!.markdown)
      expect([name, arabic!.language, blocks[0]]).toMatchObject([
        name,
        'ar',
        { kind: 'heading', level: 1 },
      ])
      expect([name, linked(blocks).toSorted()]).toEqual([
        name,
        linked(parseMarkdown(english!.markdown)).toSorted(),
      ])
      expect(blocks.flatMap(linesOf).filter((line) => plain(line).includes('**'))).toEqual([])
    }
  })

  test('every link leads to a page that is there, in every language', async () => {
    const astray: string[] = []
    for (const language of LANGUAGES) {
      for (const name of GUIDE_PAGES) {
        const page = await guidePage(name, language)
        const links = parseMarkdown(page!.markdown).flatMap(linesOf).flat()
        for (const { href } of links) {
          const target = href && /^([\w-]+)\.md$/.exec(href)?.[1]
          if (target && !GUIDE_PAGES.includes(target)) astray.push(`${language}/${name}: ${href}`)
        }
      }
    }
    expect(astray).toEqual([])
  })

  test('every page is there in Spanish', async () => {
    const pages = await Promise.all(GUIDE_PAGES.map((name) => guidePage(name, 'es')))
    expect(GUIDE_PAGES.filter((_, index) => pages[index]?.language !== 'es')).toEqual([])
  })

  test('the contents name every page', async () => {
    const contents = parseMarkdown((await guidePage(CONTENTS, 'en'))!.markdown)
    const named = contents
      .flatMap(linesOf)
      .flat()
      .map(({ href }) => href)
    expect(
      GUIDE_PAGES.filter((name) => name !== CONTENTS && !named.includes(`${name}.md`)),
    ).toEqual([])
  })

  test('each area of the product leads to a page that is there', () => {
    expect(Object.values(GUIDES).filter((name) => !GUIDE_PAGES.includes(name))).toEqual([])
    expect(guideFor('/app/')).toBe('first-day')
    expect(guideFor('/app/users/manage-permissions/1')).toBe('roles')
    expect(guideFor('/app/inventory/clinic-inventory')).toBe('stock')
    expect(guideFor('/demo/store')).toBeUndefined()
  })

  test('a page that is not there is not found, whatever it is called', async () => {
    for (const name of ['nowhere', '../../README', 'constructor', ''])
      expect(await guidePage(name, 'en')).toBeNull()
  })
})
