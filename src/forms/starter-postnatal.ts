import {
  allOf,
  anyOf,
  bloodPressure,
  choice,
  choices,
  day,
  emergency,
  heading,
  longText,
  nextVisit,
  noneOf,
  number,
  starter,
  temperature,
  urgent,
  when,
  yesNo,
} from './starter-parts'
import {
  hasProtein,
  isHigh,
  isSevere,
  protein,
  severeAnaemia,
  severePressure,
} from './starter-pregnancy'

const ofPreeclampsiaAfterBirth = anyOf(hasProtein, when('mother_danger', 'is', 'headache'))
const lowMood = anyOf(when('low', 'is', 'yes'), when('no_interest', 'is', 'yes'))

/** WHO recommendations on maternal and newborn care for a positive postnatal experience (2022). The two questions on mood are Whooley's (J Gen Intern Med 1997). Thoughts of self-harm: as the triage form. */
export const postnatal = starter(
  'postnatal-visit',
  ['Postnatal visit', 'زيارة بعد الولادة', 'Control posparto'],
  [
    'Mother and baby in the weeks after birth.',
    'الأم والمولود في الأسابيع التالية للولادة.',
    'Madre y bebé en las semanas posteriores al parto.',
  ],
  [
    day('born', ['Date of birth', 'يوم الولادة', 'Fecha del parto'], {
      required: true,
      days: 'past',
    }),
    choice(
      'mode',
      ['Mode of delivery', 'نوع الولادة', 'Tipo de parto'],
      [
        ['vaginal', 'Vaginal', 'طبيعية', 'Vaginal'],
        ['assisted', 'Vacuum or forceps', 'بالمحجم أو الملقط', 'Ventosa o fórceps'],
        ['caesarean', 'Caesarean section', 'قيصرية', 'Cesárea'],
      ],
    ),
    heading('mother', ['Mother', 'الأم', 'Madre']),
    choices(
      'mother_danger',
      ['Maternal danger signs', 'علامات الخطر عند الأم', 'Signos de peligro de la madre'],
      [
        ['bleeding', 'Heavy bleeding', 'نزف غزير', 'Sangrado abundante'],
        ['fever', 'Fever or foul discharge', 'حمّى أو إفرازات كريهة', 'Fiebre o flujo maloliente'],
        [
          'headache',
          'Severe headache, blurred vision or convulsion',
          'صداع شديد أو تشوّش رؤية أو اختلاج (تشنّج)',
          'Cefalea intensa, visión borrosa o convulsión',
        ],
        [
          'breathless',
          'Breathing difficulty or chest pain',
          'صعوبة تنفّس أو ألم صدري',
          'Dificultad respiratoria o dolor torácico',
        ],
        [
          'leg',
          'Swelling and pain in one leg',
          'تورّم وألم في ساق واحدة',
          'Hinchazón y dolor en una pierna',
        ],
      ],
    ),
    emergency(
      'mother_danger_note',
      when('mother_danger', 'answered'),
      'Danger sign of the mother: treat now and refer without delay.',
      'علامة خطر عند الأم: العلاج الآن والإحالة دون تأخير.',
      'Signo de peligro de la madre: trate ahora y derive sin demora.',
    ),
    ...bloodPressure(),
    protein(),
    severePressure(),
    urgent(
      'preeclampsia',
      allOf(isHigh, noneOf(isSevere), ofPreeclampsiaAfterBirth),
      'Pre-eclampsia after birth (140/90 or more with protein in the urine, severe headache or blurred vision): refer today.',
      'مقدمات ارتعاج بعد الولادة (140/90 أو أكثر مع بروتين في البول أو صداع شديد أو تشوّش رؤية): الإحالة اليوم.',
      'Preeclampsia posparto (140/90 o más con proteína en orina, cefalea intensa o visión borrosa): derive hoy.',
    ),
    urgent(
      'pressure_note',
      allOf(isHigh, noneOf(isSevere, ofPreeclampsiaAfterBirth)),
      'Blood pressure of 140/90 or more: measure again after 15 minutes, test the urine for protein and see her again within days.',
      'ضغط الدم 140/90 أو أكثر: إعادة القياس بعد 15 دقيقة، وفحص البروتين في البول، والمراجعة خلال أيام.',
      'Presión arterial de 140/90 o más: mida de nuevo a los 15 minutos, busque proteína en la orina y vuelva a verla en pocos días.',
    ),
    number('haemoglobin', ['Haemoglobin (g/dL)', 'الهيموغلوبين (غ/دل)', 'Hemoglobina (g/dL)'], {
      limits: { min: 2, max: 25 },
    }),
    severeAnaemia(),
    temperature(),
    choice(
      'breasts',
      ['Breasts', 'الثديان', 'Mamas'],
      [
        ['normal', 'Normal', 'طبيعيان', 'Normales'],
        ['engorged', 'Engorged', 'احتقان', 'Ingurgitación'],
        ['cracked', 'Cracked nipples', 'تشقّق الحلمتين', 'Grietas del pezón'],
        ['mastitis', 'Mastitis', 'التهاب', 'Mastitis'],
      ],
    ),
    yesNo('low', [
      'In the past month: often down, depressed or hopeless?',
      'خلال الشهر الماضي: هل شعرتِ كثيرًا بالحزن أو الاكتئاب أو اليأس؟',
      'En el último mes: ¿se sintió a menudo triste, deprimida o sin esperanza?',
    ]),
    yesNo('no_interest', [
      'In the past month: often little interest or pleasure?',
      'خلال الشهر الماضي: هل قلّ اهتمامك أو استمتاعك كثيرًا؟',
      'En el último mes: ¿tuvo a menudo poco interés o placer en hacer las cosas?',
    ]),
    urgent(
      'mood_note',
      lowMood,
      '“Yes” to either question: discuss it today, ask about self-harm and screen for depression.',
      'الإجابة بنعم عن أي من السؤالين: التحدث معها اليوم، والسؤال عن إيذاء النفس، وتحرّي الاكتئاب.',
      '«Sí» a cualquiera de las dos preguntas: converse hoy con ella, pregunte por autolesión y haga tamizaje de depresión.',
    ),
    // as item 10 of the Edinburgh Postnatal Depression Scale asks it (Cox, Holden and Sagovsky, 1987)
    yesNo(
      'self_harm',
      [
        'Thoughts of harming herself or the baby',
        'أفكار عن إيذاء نفسها أو المولود',
        'Ideas de hacerse daño o de dañar al bebé',
      ],
      { showIf: lowMood, requiredIf: lowMood },
    ),
    emergency(
      'self_harm_note',
      when('self_harm', 'is', 'yes'),
      'Do not leave her alone. Assess the risk to her and the baby now, involve a person she trusts and refer urgently.',
      'عدم تركها وحدها. تقييم الخطر عليها وعلى المولود الآن، وإشراك شخص تثق به، والإحالة عاجلًا.',
      'No la deje sola. Evalúe ahora el riesgo para ella y el bebé, involucre a alguien de su confianza y derive con urgencia.',
    ),
    yesNo('family_planning', [
      'Family planning discussed',
      'نوقش تنظيم الأسرة',
      'Se habló de planificación familiar',
    ]),
    heading('baby', ['Baby', 'المولود', 'Bebé']),
    choices(
      'baby_danger',
      ['Newborn danger signs', 'علامات الخطر عند المولود', 'Signos de peligro del recién nacido'],
      [
        ['feeding', 'Not feeding well', 'لا يرضع جيدًا', 'No se alimenta bien'],
        ['convulsion', 'Convulsion', 'اختلاج (تشنّج)', 'Convulsión'],
        [
          'fast',
          'Respiratory rate of 60 or more',
          'تنفّس 60 أو أكثر في الدقيقة',
          'Frecuencia respiratoria de 60 o más por minuto',
        ],
        ['indrawing', 'Severe chest indrawing', 'انسحاب صدري شديد', 'Tiraje subcostal grave'],
        [
          'still',
          'Moves only when stimulated, or not at all',
          'لا يتحرك إلا عند اللمس أو لا يتحرك',
          'Se mueve solo cuando se lo estimula, o no se mueve',
        ],
        [
          'hot_cold',
          'Temperature below 35.5 °C, or 37.5 °C or more',
          'أقل من 35.5 °م، أو 37.5 °م فأكثر',
          'Temperatura menor de 35.5 °C, o de 37.5 °C o más',
        ],
        [
          'jaundice_early',
          'Any jaundice in the first 24 hours',
          'أي يرقان خلال أول 24 ساعة',
          'Cualquier ictericia en las primeras 24 horas',
        ],
        [
          'jaundice',
          'Yellow palms or soles',
          'اصفرار الراحتين أو الأخمصين',
          'Palmas o plantas amarillas',
        ],
      ],
    ),
    // WHO postnatal care 2022, recommendation 25
    emergency(
      'danger_note',
      when('baby_danger', 'answered'),
      'Danger sign of the baby: refer urgently, and keep the baby warm and feeding on the way.',
      'علامة خطر عند المولود: إحالة عاجلة مع تدفئة المولود وإرضاعه في الطريق.',
      'Signo de peligro del bebé: derive con urgencia; manténgalo abrigado y alimentado durante el traslado.',
    ),
    number('baby_weight', ['Baby’s weight', 'وزن المولود', 'Peso del bebé'], {
      unit: 'kg',
      limits: { min: 0.3, max: 15 },
      normal: { min: 2.5 },
    }),
    choice(
      'feeding',
      ['Feeding', 'التغذية', 'Alimentación'],
      [
        ['breast', 'Exclusive breastfeeding', 'حليب الأم فقط', 'Lactancia materna exclusiva'],
        ['mixed', 'Mixed feeding', 'حليب الأم مع غيره', 'Alimentación mixta'],
        ['other', 'No breast milk', 'دون حليب الأم', 'Sin leche materna'],
      ],
    ),
    choice(
      'cord',
      ['Cord', 'السرّة', 'Cordón umbilical'],
      [
        ['clean', 'Clean and dry', 'نظيفة وجافة', 'Limpio y seco'],
        ['red', 'Redness or pus', 'احمرار أو قيح', 'Enrojecimiento o pus'],
        ['off', 'Separated', 'سقط الحبل', 'Desprendido'],
      ],
    ),
    // IMCI 2019, local infection
    urgent(
      'cord_note',
      when('cord', 'is', 'red'),
      'Red cord or pus: give an oral antibiotic, teach how to clean the cord and see the baby again in 2 days. With any danger sign: refer urgently.',
      'احمرار السرّة أو قيح: إعطاء مضاد حيوي فموي، وتعليم تنظيف السرّة، ومراجعة المولود بعد يومين. مع أي علامة خطر: إحالة عاجلة.',
      'Cordón enrojecido o con pus: dé un antibiótico oral, enseñe a limpiarlo y vuelva a ver al bebé en 2 días. Con cualquier signo de peligro: derive con urgencia.',
    ),
    choices(
      'vaccines',
      ['Vaccines given', 'اللقاحات المعطاة', 'Vacunas aplicadas'],
      [
        ['bcg', 'BCG', 'BCG (السل)', 'BCG'],
        [
          'hepb',
          'Hepatitis B, birth dose',
          'التهاب الكبد ب، جرعة الولادة',
          'Hepatitis B, dosis al nacer',
        ],
        ['opv', 'Polio, birth dose', 'شلل الأطفال، جرعة الولادة', 'Polio, dosis al nacer'],
      ],
    ),
    longText('notes', ['Notes', 'ملاحظات', 'Notas']),
    nextVisit(),
  ],
)
