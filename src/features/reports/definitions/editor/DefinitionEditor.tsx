import { Button, Grid, Group, Indicator, Stack, Tabs, Text, VisuallyHidden } from '@mantine/core'
import { IconDeviceFloppy, IconPlus } from '@tabler/icons-react'
import { useCallback, useMemo, useState } from 'react'
import { toast } from '~/ui/toast'
import { EditingNotices } from '~/forms/EditingNotices'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { AxesEditor } from './AxesEditor'
import { type DefinitionUpdater, type DefinitionDraft, newSection } from './definition-draft'
import { type InitialDefinition, useDefinitionEditing } from './definition-editing'
import { DefinitionPreview } from './DefinitionPreview'
import { DefinitionSettings } from './DefinitionSettings'
import { GroupsEditor } from './GroupsEditor'
import { JsonEditor } from './JsonEditor'
import { MeasuresEditor } from './MeasuresEditor'
import { DefinitionProblemsContext } from './problems'
import { SectionCard } from './SectionCard'

type Props = {
  start: InitialDefinition
  /** What a new definition begins with, still unsaved. */
  suggested?: DefinitionDraft | undefined
  userId: string
  language: Language
  clinics: readonly { id: string; name: string }[]
  ownClinicId: string | null
}

const TABS = ['form', 'groups', 'axes', 'measures', 'json'] as const
/** The part of the definition that a tab edits. */
const partOf = { form: 'sections', groups: 'groups', axes: 'axes', measures: 'measures', json: '' }

/** A report's paper: its sections, rows and columns. Nothing changes for users before it is saved. */
export function DefinitionEditor(props: Props) {
  const { start, suggested, userId, language, clinics, ownClinicId } = props
  const say = useSay()
  const { ref, draft, change, changeLater, errors, save, isDirty, isSaving, ...notices } =
    useDefinitionEditing(start, userId, suggested)
  const [tab, setTab] = useState<string | null>('form')
  const [opened, setOpened] = useState<string | null>(null)
  const [added, setAdded] = useState<string | null>(null)
  const [spoken, setSpoken] = useState('')
  const onOpen = useCallback((id: string | null, isAdded = false) => {
    setOpened(id)
    setAdded(isAdded ? id : null)
  }, [])
  const onMoved = useCallback(
    (place: number) => setSpoken(say({ key: 'formBuilder.movedTo', values: { place } })),
    [say],
  )
  const onRemoved: DefinitionUpdater = useCallback(
    (putBack) =>
      toast.success(say('reportEditor.removed'), {
        action: { label: say('common.undo'), onClick: () => change(putBack) },
      }),
    [change, say],
  )
  const { groups, axes, measures } = draft
  const shared = useMemo(() => ({ groups, axes, measures }), [groups, axes, measures])

  return (
    <DefinitionProblemsContext value={errors}>
      <Grid gap="lg" ref={ref}>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <EditingNotices {...notices} isSaving={isSaving} />
            <Tabs value={tab} onChange={setTab} keepMounted={false}>
              <Tabs.List mb="md">
                {TABS.map((name) => (
                  <Tabs.Tab key={name} value={name}>
                    <Indicator
                      color="red"
                      size={8}
                      disabled={
                        !Object.keys(errors).some((path) =>
                          partOf[name] ? path.startsWith(`body.${partOf[name]}`) : false,
                        )
                      }
                    >
                      {say(`reportEditor.tab_${name}`)}
                    </Indicator>
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="form">
                <Stack gap="md">
                  <DefinitionSettings
                    {...{ draft, change, changeLater }}
                    isNew={start.last_modified === undefined}
                  />
                  {draft.sections.map((section, at) => (
                    <SectionCard
                      key={section.id}
                      {...{ shared, section, at, language, change, changeLater }}
                      isLast={at === draft.sections.length - 1}
                      {...{ opened, added, onOpen, onMoved, onRemoved }}
                    />
                  ))}
                  <Group>
                    <Button
                      variant="default"
                      leftSection={<IconPlus size={16} aria-hidden />}
                      onClick={() =>
                        change((now) => ({ ...now, sections: [...now.sections, newSection()] }))
                      }
                    >
                      {say('reportEditor.addSection')}
                    </Button>
                  </Group>
                </Stack>
              </Tabs.Panel>
              <Tabs.Panel value="groups">
                <GroupsEditor {...{ draft, change, language, onRemoved }} />
              </Tabs.Panel>
              <Tabs.Panel value="axes">
                <AxesEditor {...{ draft, change, language, onRemoved }} />
              </Tabs.Panel>
              <Tabs.Panel value="measures">
                <MeasuresEditor {...{ draft, change, onRemoved }} />
              </Tabs.Panel>
              <Tabs.Panel value="json">
                <JsonEditor {...{ draft, change }} />
              </Tabs.Panel>
            </Tabs>
            <VisuallyHidden aria-live="polite">{spoken}</VisuallyHidden>
            <Group gap="sm">
              <Button
                leftSection={<IconDeviceFloppy size={16} aria-hidden />}
                disabled={!isDirty || isSaving || notices.stale !== null}
                onClick={() => void save()}
              >
                {say(isSaving ? 'common.saving' : 'common.save')}
              </Button>
              {isDirty && (
                <Text size="sm" c="dimmed">
                  {say('formBuilder.unsaved')}
                </Text>
              )}
            </Group>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <div style={{ position: 'sticky', top: '4.5rem', maxHeight: '85vh', overflowY: 'auto' }}>
            <DefinitionPreview {...{ draft, clinics, ownClinicId, language }} />
          </div>
        </Grid.Col>
      </Grid>
    </DefinitionProblemsContext>
  )
}
