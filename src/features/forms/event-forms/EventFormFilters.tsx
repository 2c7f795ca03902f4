import { Group } from '@mantine/core'
import { type Language, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { named, PickFilter, useFilter } from '~/ui/filters'
import { SearchBox } from '~/ui/SearchBox'

type Props = {
  clinic: string | undefined
  language: Language | undefined
  clinics: readonly { id: string; name: string }[]
}

/** Narrows the list of forms; every choice is in the address. */
export function EventFormFilters({ clinic, language, clinics }: Props) {
  const say = useSay()
  const choose = useFilter<{ clinic?: string; language?: Language }>()
  return (
    <Group gap="sm">
      <SearchBox />
      {clinics.length > 1 && (
        <PickFilter
          inRow
          label="eventForms.clinics"
          any="eventForms.anyClinic"
          value={clinic}
          onPick={(value) => choose({ clinic: value })}
          options={named(clinics)}
          w={{ base: '100%', xs: '13rem' }}
        />
      )}
      <PickFilter
        inRow
        label="eventForms.language"
        any="eventForms.anyLanguage"
        value={language}
        onPick={(value) => choose({ language: value })}
        options={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        w={{ base: '100%', xs: '11rem' }}
      />
    </Group>
  )
}
