import { Checkbox, Paper, SimpleGrid, Stack, Switch, Title } from '@mantine/core'
import { memo } from 'react'
import { PickList, PickSeveral } from '~/fields/PickList'
import { FORM_TEXTS } from '~/forms/definition'
import { inLanguage } from '~/forms/translations'
import type { Message } from '~/shared/errors'
import { isLanguage, LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import type { FormDraft } from './form-draft'
import type { FormUpdater } from './form-editing'
import { Wording } from './Wording'

type Props = {
  draft: FormDraft
  change: FormUpdater
  changeLater: FormUpdater
  /** Its name is typed first. */
  isNew: boolean
  clinics: readonly { id: string; name: string }[]
  mayGiveToAll: boolean
  errors: Readonly<Record<string, Record<string, Message>>>
}

/**
 * The form's name, its clinics and how its answers may be used. Does not render again when a field
 * changes.
 */
export const FormSettings = memo(Settings, (before, after) => {
  const names = [
    'name',
    'description',
    'language',
    'clinic_ids',
    'is_editable',
    'is_snapshot_form',
  ] as const
  const findTranslation = ({ translations }: FormDraft, id: string) =>
    translations.find(({ fieldId }) => fieldId === id)
  return (
    names.every((name) => before.draft[name] === after.draft[name]) &&
    Object.values(FORM_TEXTS).every(
      (id) => findTranslation(before.draft, id) === findTranslation(after.draft, id),
    ) &&
    before.errors === after.errors &&
    before.clinics === after.clinics
  )
})

function Settings({ draft, change, changeLater, isNew, clinics, mayGiveToAll, errors }: Props) {
  const say = useSay()
  const errorAt = (name: string) => {
    const found = Object.entries(errors['form'] ?? {}).find(
      ([path]) => path === name || path.startsWith(`${name}.`),
    )
    return found && say(found[1])
  }
  const isForAll = draft.clinic_ids.length === 0
  const set = (values: Partial<FormDraft>) => change((form) => ({ ...form, ...values }))
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="sm">
        {say('formBuilder.aboutForm')}
      </Title>
      <Stack gap="md">
        <Wording
          form={draft}
          changeLater={changeLater}
          fieldId={FORM_TEXTS.name}
          what="name"
          label="formBuilder.nameIn"
          errors={{ own: errorAt('name') }}
          needed
          isAdded={isNew}
        />
        <Wording
          form={draft}
          changeLater={changeLater}
          fieldId={FORM_TEXTS.description}
          what="name"
          label="formBuilder.descriptionIn"
          errors={{ own: errorAt('description') }}
          long
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <PickList
            label={say('formBuilder.ownLanguage')}
            description={say('formBuilder.ownLanguageHint')}
            value={draft.language}
            onChange={(value) => isLanguage(value) && change((form) => inLanguage(form, value))}
            data={LANGUAGES.map((value) => ({ value, label: say(`account.language_${value}`) }))}
            allowDeselect={false}
            error={errorAt('language')}
          />
          <Stack gap={6}>
            <PickSeveral
              label={say('eventForms.clinics')}
              description={say('formBuilder.clinicsHint')}
              value={draft.clinic_ids}
              onChange={(clinic_ids) => set({ clinic_ids })}
              data={clinics.map(({ id, name }) => ({ value: id, label: name }))}
              placeholder={
                isForAll
                  ? say(mayGiveToAll ? 'eventForms.everyClinic' : 'formBuilder.chooseClinic')
                  : ''
              }
              searchable
              hidePickedOptions
              nothingFoundMessage={say('form.nothingFound')}
              error={errorAt('clinic_ids')}
            />
            {mayGiveToAll && (
              <Checkbox
                size="sm"
                label={say('eventForms.everyClinic')}
                checked={isForAll}
                disabled={isForAll}
                onChange={() => set({ clinic_ids: [] })}
              />
            )}
          </Stack>
          <Switch
            label={say('eventForms.is_editable')}
            description={say('eventForms.editableHint')}
            checked={draft.is_editable}
            onChange={(event) => set({ is_editable: event.currentTarget.checked })}
          />
          <Switch
            label={say('eventForms.is_snapshot_form')}
            description={say('eventForms.snapshotHint')}
            checked={draft.is_snapshot_form}
            onChange={(event) => set({ is_snapshot_form: event.currentTarget.checked })}
          />
        </SimpleGrid>
      </Stack>
    </Paper>
  )
}
