-- Codes of the short list that said too much or too little, codes that WHO has moved, and dangerous ones that were missing.
-- A recorded problem keeps its code and its own words. A label that a clinic has changed stays as the clinic wrote it.
-- Sources beside each code: docs/clinical-sources.md.
update problem_codes c set label_en = n.label_en, label_ar = n.label_ar, label_es = n.label_es, is_common = n.is_common
from (values
  ('A15', 'Tuberculosis of the lung', true, 'Respiratory tuberculosis, confirmed', 'سل تنفسي مثبت', 'Tuberculosis respiratoria confirmada'),
  ('A90', 'Dengue', false, 'Dengue (older code, now A97)', 'حمى الضنك (رمز قديم، الآن A97)', 'Dengue (código antiguo, ahora A97)'),
  ('D55.0', 'G6PD deficiency', true, 'Anaemia due to G6PD deficiency', 'فقر دم ناجم عن عوز إنزيم G6PD (التفول)', 'Anemia por déficit de G6PD'),
  ('D57.1', 'Sickle cell disease', true, 'Sickle cell disease without crisis', 'داء الخلايا المنجلية دون نوبة', 'Drepanocitosis sin crisis'),
  ('H25.9', 'Cataract', true, 'Cataract, age-related (senile)', 'ساد شيخوخي (الماء الأبيض)', 'Catarata senil'),
  ('I84', 'Haemorrhoids', false, 'Haemorrhoids (older code, now K64)', 'البواسير (رمز قديم، الآن K64)', 'Hemorroides (código antiguo, ahora K64)'),
  ('J11', 'Influenza', true, 'Influenza, virus not identified', 'إنفلونزا، الفيروس غير محدد', 'Gripe, virus no identificado'),
  ('K05.1', 'Gum inflammation (gingivitis)', true, 'Gum inflammation (gingivitis), chronic', 'التهاب اللثة المزمن', 'Gingivitis crónica'),
  ('N61', 'Mastitis', true, 'Mastitis, not after childbirth', 'التهاب الثدي غير المرتبط بالولادة', 'Mastitis no puerperal'),
  ('N76.0', 'Vaginitis', true, 'Vaginitis, acute', 'التهاب المهبل الحاد', 'Vaginitis aguda'),
  ('O21.0', 'Vomiting in pregnancy', true, 'Hyperemesis of pregnancy, mild', 'قيء حملي مفرط خفيف', 'Hiperemesis gravídica leve'),
  ('Q21.9', 'Heart defect, congenital', true, 'Septal heart defect, congenital', 'عيب خلقي في الحاجز القلبي', 'Defecto congénito del tabique cardíaco'),
  ('U07.1', 'COVID-19', true, 'COVID-19, virus identified', 'كوفيد-19، الفيروس محدد', 'COVID-19, virus identificado'),
  ('W54', 'Dog bite', true, 'Dog bite (cause; add the wound)', 'عضة كلب (السبب؛ يُضاف الجرح)', 'Mordedura de perro (causa; agregue la herida)'),
  ('Z33', 'Pregnancy', true, 'Pregnancy, incidental', 'حمل عَرَضي (ليس سبب الزيارة)', 'Embarazo, hallazgo incidental')
) as n (code, was, is_common, label_en, label_ar, label_es)
where c.system = 'icd10' and c.code = n.code and c.label_en = n.was;

insert into problem_codes (system, code, is_common, label_en, label_ar, label_es)
select 'icd10', code, true, label_en, label_ar, label_es from (values
  ('A15.0', 'Tuberculosis of the lung, confirmed by microscopy', 'سل رئوي مثبت بالمجهر', 'Tuberculosis pulmonar confirmada por baciloscopia'),
  ('A41.9', 'Sepsis', 'إنتان الدم', 'Sepsis'),
  ('A97.0', 'Dengue without warning signs', 'حمى الضنك دون علامات إنذار', 'Dengue sin signos de alarma'),
  ('A97.2', 'Severe dengue', 'حمى الضنك الشديدة', 'Dengue grave'),
  ('A97.9', 'Dengue', 'حمى الضنك', 'Dengue'),
  ('B50.9', 'Malaria, falciparum', 'ملاريا منجلية', 'Paludismo por P. falciparum'),
  ('D57.0', 'Sickle cell crisis', 'نوبة الخلايا المنجلية', 'Crisis drepanocítica'),
  ('E10.1', 'Diabetes type 1 with ketoacidosis', 'السكري من النوع 1 مع حماض كيتوني', 'Diabetes tipo 1 con cetoacidosis'),
  ('E11.1', 'Diabetes type 2 with ketoacidosis', 'السكري من النوع 2 مع حماض كيتوني', 'Diabetes tipo 2 con cetoacidosis'),
  ('E16.2', 'Hypoglycaemia', 'نقص سكر الدم', 'Hipoglucemia'),
  ('G03.9', 'Meningitis', 'التهاب السحايا', 'Meningitis'),
  ('J05.0', 'Croup', 'الخانوق (التهاب الحنجرة الانسدادي)', 'Crup'),
  ('K64.9', 'Haemorrhoids', 'البواسير', 'Hemorroides'),
  ('N17.9', 'Acute kidney failure', 'فشل كلوي حاد', 'Insuficiencia renal aguda'),
  ('O00.9', 'Ectopic pregnancy', 'حمل خارج الرحم', 'Embarazo ectópico'),
  ('O15.9', 'Eclampsia', 'إرجاج (تشنجات الحمل)', 'Eclampsia'),
  ('O20.0', 'Threatened miscarriage', 'إسقاط منذر', 'Amenaza de aborto'),
  ('O21.9', 'Vomiting in pregnancy', 'قيء الحمل', 'Vómitos del embarazo'),
  ('O23.4', 'Urinary infection in pregnancy', 'عدوى المسالك البولية في الحمل', 'Infección urinaria en el embarazo'),
  ('O46.9', 'Bleeding before birth (antepartum)', 'نزف ما قبل الولادة', 'Hemorragia anteparto'),
  ('O72.1', 'Bleeding after birth (postpartum)', 'نزف ما بعد الولادة', 'Hemorragia posparto'),
  ('O85', 'Puerperal sepsis', 'إنتان النفاس', 'Sepsis puerperal'),
  ('O91.2', 'Mastitis after childbirth', 'التهاب الثدي بعد الولادة', 'Mastitis puerperal'),
  ('O98.1', 'Syphilis in pregnancy', 'الزهري في الحمل', 'Sífilis en el embarazo'),
  ('P36.9', 'Sepsis of the newborn', 'إنتان الوليد', 'Sepsis neonatal'),
  ('Q24.9', 'Heart defect, congenital', 'عيب قلبي خلقي', 'Cardiopatía congénita'),
  ('R57.9', 'Shock', 'صدمة', 'Choque'),
  ('T14.1', 'Open wound', 'جرح مفتوح', 'Herida abierta'),
  ('T78.2', 'Anaphylactic shock', 'صدمة تأقية (حساسية مفرطة)', 'Choque anafiláctico'),
  ('Z20.3', 'Contact with rabies', 'تعرّض محتمل لداء الكلب', 'Contacto con la rabia'),
  ('Z34.9', 'Antenatal care, normal pregnancy', 'رعاية حمل طبيعي', 'Control de embarazo normal'),
  ('Z35.9', 'Antenatal care, high-risk pregnancy', 'رعاية حمل عالي الخطورة', 'Control de embarazo de alto riesgo')
) as c (code, label_en, label_ar, label_es)
on conflict (system, code) do nothing;
