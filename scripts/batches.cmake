# Compiles the files of gpusched_core in batches, which halves the time of a build from nothing. Files of one room whose
# private names meet are compiled alone: those that come later by name are listed here. A file that does not compile in
# a batch and does alone either gets another name for its helper or a place in this list.
function(compile_in_batches target)
  set(alone)
  foreach(name lib_core lib_kubernetes_lists lib_lists lib_operators lib_optional lib_regex lib_strings lib_time
    macros map net numbers plan program regex_syntax runtime_cost semver source substitution time type url
    url_escape validate value)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/cel/${name}.cpp)
  endforeach()
  foreach(name names queue_plan requests)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/chain/${name}.cpp)
  endforeach()
  foreach(name device_values selector_parts slice_limits state_keys why_not)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/dra/${name}.cpp)
  endforeach()
  foreach(name survey traps)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/explain/${name}.cpp)
  endforeach()
  foreach(name dra_claim dra_objects dra_slice dump_pods fixture_job fixture_pod gpustack_objects hardware_file
    inventory inventory_nvidia item_splitter json_token kueue_input kueue_jobs kueue_queues kueue_workload
    model_jobs node_resource_topology object_places pod_groups pod_policy scheduler_input source trace trace_csv
    trace_swf workload_pods workload_states workload_templates)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/io/${name}.cpp)
  endforeach()
  foreach(name pod_topology_spread_score volume_restrictions)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/kubescheduler/${name}.cpp)
  endforeach()
  foreach(name pod_classes state_queues)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/kueue/${name}.cpp)
  endforeach()
  foreach(name cases_searches chain_table check_table defrag_lines drainable_lines fragmentation_table gang_table
    html_map html_pending html_placement html_searches html_timeline markdown mig_layout_table names pending_table
    placement_table repartition_lines whatif_table why_not_lines)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/render/${name}.cpp)
  endforeach()
  foreach(name chain chain_admission mig_layout placement repartition slices why_not_json)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/report/${name}.cpp)
  endforeach()
  foreach(name mix_search object_gpus)
    list(APPEND alone ${PROJECT_SOURCE_DIR}/src/whatif/${name}.cpp)
  endforeach()
  set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # A private name of another file in the batch may be hidden by a local one.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
endfunction()
