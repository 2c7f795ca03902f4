import { SimpleGrid } from '@mantine/core'
import { useLanguageName } from '~/features/people/registration/language-name'
import { textDirection, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { TypedText } from '~/ui/TypedText'
import type { TranslatedNames } from './definition-draft'
import { type Path, useProblem } from './problems'

type Props = {
  names: TranslatedNames
  onChange: (change: (names: TranslatedNames) => TranslatedNames) => void
  path: Path
  /** Focuses the first box when it appears. */
  isAdded?: boolean
}

const focus = (node: HTMLElement | null) => node?.focus()

/** A name in three languages; one of them is enough. */
export function NamesEditor({ names, onChange, path, isAdded }: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  const problem = useProblem(path)
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      {LANGUAGES.map((language) => (
        <TypedText
          key={language}
          label={say({ key: 'formBuilder.nameIn', values: { language: languageName(language) } })}
          value={names[language] ?? ''}
          onType={(text) => onChange((now) => ({ ...now, [language]: text }))}
          error={language === 'en' && problem && say(nameProblem(problem, names.en))}
          lang={language}
          dir={textDirection(language)}
          withAsterisk={language === 'en'}
          aria-required={language === 'en' || undefined}
          inputRef={language === 'en' && isAdded ? focus : undefined}
        />
      ))}
    </SimpleGrid>
  )
}

const nameProblem = <T,>(problem: T, text: string) =>
  text.trim() === '' ? 'validation.required' : problem
