import type { Language } from '~/shared/language'

// each page is fetched when it is read, from this server: help needs no internet
const files = import.meta.glob<string>('../../../../docs/guide/**/*.md', {
  query: '?raw',
  import: 'default',
})
const FOLDER = '../../../../docs/guide/'
/** Where the guide begins, as a folder's first page is called. */
export const CONTENTS = 'README'

/** The names of the pages, without their languages. */
export const GUIDE_PAGES = Object.keys(files)
  .map((path) => path.slice(FOLDER.length, -'.md'.length))
  .filter((name) => !name.includes('/'))

type GuidePage = { markdown: string; language: Language }

/** A page in the reader's language, else in English; null when there is no such page. */
export async function guidePage(name: string, language: Language): Promise<GuidePage | null> {
  const own = language === 'en' ? undefined : files[`${FOLDER}${language}/${name}.md`]
  if (own) return { markdown: await own(), language }
  const english = Object.hasOwn(files, `${FOLDER}${name}.md`)
    ? files[`${FOLDER}${name}.md`]
    : undefined
  return english ? { markdown: await english(), language: 'en' } : null
}
