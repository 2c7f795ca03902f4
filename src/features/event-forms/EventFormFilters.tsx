import { Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type Language, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { SearchBox } from '~/ui/SearchBox'

type Props = {
  clinic: string | undefined
  language: Language | undefined
  clinics: readonly { id: string; name: string }[]
}

/** Narrows the list of forms; every choice is in the address. */
export function EventFormFilters({ clinic, language, clinics }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const choose = (filter: object) =>
    void navigate({
      to: '.',
      search: ((current: object) => ({ ...current, ...filter, page: undefined })) as never,
      replace: true,
      resetScroll: false,
    })
  const look = { clearable: true, clearButtonProps: { 'aria-label': say('common.clear') } } as const
  return (
    <Group gap="sm">
      <SearchBox />
      {clinics.length > 1 && (
        <Select
          {...look}
          aria-label={say('eventForms.clinics')}
          placeholder={say('eventForms.anyClinic')}
          value={clinic ?? null}
          onChange={(value) => choose({ clinic: value ?? undefined })}
          data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={clinics.length > 7}
          nothingFoundMessage={say('form.nothingFound')}
          w={{ base: '100%', xs: '13rem' }}
        />
      )}
      <Select
        {...look}
        aria-label={say('eventForms.language')}
        placeholder={say('eventForms.anyLanguage')}
        value={language ?? null}
        onChange={(value) => choose({ language: value ?? undefined })}
        data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
        w={{ base: '100%', xs: '11rem' }}
      />
    </Group>
  )
}
