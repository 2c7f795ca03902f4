import { SimpleGrid } from '@mantine/core'
import { useLanguageName } from '~/features/people/registration/language-name'
import { type TextName, textIn } from '~/forms/translations'
import { textDirection, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { focus } from './focus'
import { type FormDraft, withWords } from './form-draft'
import type { FormUpdater } from './form-editing'
import { TypedText } from '~/ui/TypedText'

type Props = {
  form: FormDraft
  changeLater: FormUpdater
  fieldId: string
  what: TextName
  /** The label of each box: "Name in Arabic". */
  label: 'formBuilder.nameIn' | 'formBuilder.descriptionIn' | 'formBuilder.contentIn'
  /** The error of the text in the form's own language, or in another by its code. */
  errors?: Partial<Record<string, string>>
  long?: boolean
  /** There must be a text in the form's own language. */
  needed?: boolean
  /** It has just been added: this is typed next. */
  isAdded?: boolean
}

/**
 * One text in three languages side by side; the form's own language is the one that must be there.
 */
export function Wording({
  form,
  changeLater,
  fieldId,
  what,
  label,
  errors = {},
  long,
  needed,
  isAdded,
}: Props) {
  const say = useSay()
  const languageName = useLanguageName()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      {LANGUAGES.map((language) => {
        const isOwn = language === form.language
        return (
          <TypedText
            key={language}
            label={say({ key: label, values: { language: languageName(language) } })}
            value={textIn(form, fieldId, what, language)}
            onType={(text) =>
              changeLater((current) => withWords(current, fieldId, what, language, text))
            }
            error={errors[language] ?? (isOwn && errors['own'])}
            lang={language}
            dir={textDirection(language)}
            withAsterisk={isOwn && needed}
            aria-required={(isOwn && needed) || undefined}
            inputRef={isOwn && isAdded ? focus : undefined}
            long={long}
          />
        )
      })}
    </SimpleGrid>
  )
}
