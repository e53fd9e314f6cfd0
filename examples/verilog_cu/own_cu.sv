// SPDX-License-Identifier: Apache-2.0
// A small compute unit of one's own for integer kernels: one wave at a time, in order, a vector
// instruction in four cycles of 16 lanes, an access of memory for each line that lanes touch, each
// waited for. What it does not know ends at stop_*.
module own_cu
  import own_cu_pkg::*;
#(
    parameter bit BROKEN = 1'b0  // v_sub_i32 forgets its borrow into bit 8
) (
    input  logic          clk,
    input  logic          rst,
    input  logic          control_pause,
    input  logic          control_hold,
    // launch and end of a wave
    input  logic          launch_valid,
    output logic          launch_ready,
    input  logic [5:0]    launch_wave,
    input  logic [4:0]    launch_waves_in_group,
    input  logic [7:0]    launch_vmid,
    input  logic [63:0]   launch_pc,
    input  logic [63:0]   launch_exec,
    input  logic [16:0]   launch_lds_bytes,
    input  logic [4:0]    launch_sgpr_count,
    input  logic [767:0]  launch_sgpr,
    input  logic [1:0]    launch_ids,
    input  logic [2047:0] launch_v0,
    input  logic [2047:0] launch_v1,
    input  logic [2047:0] launch_v2,
    output logic          done_valid,
    input  logic          done_ready,
    output logic [5:0]    done_wave,
    // instructions
    output logic          fetch_valid,
    input  logic          fetch_ready,
    output logic [63:0]   fetch_address,
    output logic [5:0]    fetch_wave,
    output logic [7:0]    fetch_vmid,
    input  logic          fetched_valid,
    output logic          fetched_ready,
    input  logic          fetched_fault,
    input  logic [255:0]  fetched_words,
    // scalar loads
    output logic          scalar_valid,
    input  logic          scalar_ready,
    output logic [63:0]   scalar_address,
    output logic [4:0]    scalar_dwords,
    output logic [5:0]    scalar_wave,
    output logic [7:0]    scalar_vmid,
    input  logic          loaded_valid,
    output logic          loaded_ready,
    input  logic          loaded_fault,
    input  logic [511:0]  loaded_data,
    // vector memory, a line at a time
    output logic          request0_valid,
    input  logic          request0_ready,
    output logic [57:0]   request0_line,
    output logic [63:0]   request0_mask,
    output logic [1:0]    request0_command,
    output logic [4:0]    request0_atomic,
    output logic [7:0]    request0_bytes,
    output logic [7:0]    request0_vmid,
    output logic          request0_glc,
    output logic          request0_slc,
    output logic          request0_returns,
    output logic [511:0]  request0_data,
    input  logic          answer0_valid,
    output logic          answer0_ready,
    input  logic [1:0]    answer0_status,
    input  logic [511:0]  answer0_data,
    // what retires
    output logic          retire_valid,
    output logic [5:0]    retire_wave,
    output logic          retire_last,
    output logic          retire_end,
    output logic [63:0]   retire_pc,
    output logic [63:0]   retire_words,
    output logic [63:0]   retire_exec,
    output logic [63:0]   retire_vcc,
    output logic          retire_scc,
    output logic [31:0]   retire_m0,
    output logic          retire_scalar,
    output logic [6:0]    retire_code,
    output logic [31:0]   retire_value,
    output logic          retire_vector,
    output logic [7:0]    retire_vgpr,
    output logic [63:0]   retire_lanes,
    output logic [2047:0] retire_data,
    // why it cannot go on
    output logic          stop_valid,
    output logic [5:0]    stop_wave,
    output logic [63:0]   stop_pc,
    output logic [63:0]   stop_words,
    output logic [2:0]    stop_reason,
    output logic          state_retires,
    output logic          state_busy
);
  state_e state;

  // ---- the wave
  logic [5:0]   wave;
  logic [7:0]   vmid;
  logic [63:0]  pc;
  logic         alone;         // in its group
  logic         scc;
  logic [127:0][31:0] s;         // by operand code: SGPRs, VCC, M0, EXEC
  logic [511:0] v[1024];       // 16 lanes of a VGPR: number, quarter
  logic [1023:0] known;        // rows that were written; the others are 0
  wire  [63:0]  exec = {s[kExec+1], s[kExec]};
  wire  [63:0]  vcc = {s[kVcc+1], s[kVcc]};

  // ---- instruction under way
  logic [255:0] block;
  logic [58:0]  block_at;
  logic         block_valid;
  logic         second;        // word that is looked for
  logic [31:0]  w0, w1;
  logic         two;           // words
  logic [63:0]  exec_before;
  logic [63:0]  mask_out;      // of a comparison or carry
  logic [3:0]   step;
  logic [6:0]   sdst;
  logic [4:0]   sdst_count;
  logic         vdst_written;
  logic [7:0]   vdst;
  logic [2:0]   reason;
  decoded_t     d;

  wire [63:0] next_pc = pc + (two ? 64'd8 : 64'd4);
  wire [63:0] word_at = second ? pc + 64'd4 : pc;
  wire [31:0] word = block[32*word_at[4:2]+:32];

  // ---- memory
  logic [63:0]   pending, together;
  logic [2047:0] offset, lane_data;
  logic [63:0]   base;
  logic [57:0]   line;
  logic [511:0]  line_data;
  logic [63:0]   line_mask;

  // ---- operands
  function automatic logic [31:0] scalar(input logic [8:0] code);
    if (code < 9'd128) return s[code[6:0]];
    if (code <= 9'd192) return {23'd0, code} - 32'd128;
    if (code <= 9'd208) return 32'd192 - {23'd0, code};
    case (code)
      9'd240: return 32'h3f000000;
      9'd241: return 32'hbf000000;
      9'd242: return 32'h3f800000;
      9'd243: return 32'hbf800000;
      9'd244: return 32'h40000000;
      9'd245: return 32'hc0000000;
      9'd246: return 32'h40800000;
      9'd247: return 32'hc0800000;
      9'd251: return {31'd0, vcc == 0};
      9'd252: return {31'd0, exec == 0};
      9'd253: return {31'd0, scc};
      default: return w1;  // a literal
    endcase
  endfunction
  function automatic logic [63:0] scalar64(input logic [8:0] code);
    logic [31:0] low;
    if (code < 9'd128) return {s[code[6:0]+7'd1], s[code[6:0]]};
    if (code == 9'd255) return {32'd0, w1};
    low = scalar(code);
    return {{32{low[31]}}, low};
  endfunction
  function automatic logic [511:0] quarter(input logic [8:0] code, input logic [1:0] q);
    if (code[8]) return known[{code[7:0], q}] ? v[{code[7:0], q}] : 512'd0;
    return {16{scalar(code)}};
  endfunction

  // ---- scalar ALU
  logic [63:0] salu_out;
  logic        salu_scc;
  wire [31:0]  sa = scalar(d.src0), sb = scalar(d.src1);
  wire [63:0]  sa64 = scalar64(d.src0), sb64 = scalar64(d.src1);
  wire [31:0]  sk = {{16{w0[15]}}, w0[15:0]};
  always_comb begin
    salu_out = 64'd0;
    salu_scc = scc;
    case (d.op)
      S_ADD_U32, S_ADDC_U32: begin
        {salu_scc, salu_out[31:0]} = {1'b0, sa} + {1'b0, sb} + {32'd0, d.op == S_ADDC_U32 && scc};
      end
      S_SUB_U32, S_SUBB_U32: begin
        {salu_scc, salu_out[31:0]} = {1'b0, sa} - {1'b0, sb} - {32'd0, d.op == S_SUBB_U32 && scc};
      end
      S_ADD_I32: begin
        salu_out[31:0] = sa + sb;
        salu_scc = sa[31] == sb[31] && salu_out[31] != sa[31];
      end
      S_SUB_I32: begin
        salu_out[31:0] = sa - sb;
        salu_scc = sa[31] != sb[31] && salu_out[31] != sa[31];
      end
      S_MIN_I32: begin
        salu_scc = $signed(sa) < $signed(sb);
        salu_out[31:0] = salu_scc ? sa : sb;
      end
      S_MIN_U32: begin
        salu_scc = sa < sb;
        salu_out[31:0] = salu_scc ? sa : sb;
      end
      S_MAX_I32: begin
        salu_scc = $signed(sa) > $signed(sb);
        salu_out[31:0] = salu_scc ? sa : sb;
      end
      S_MAX_U32: begin
        salu_scc = sa > sb;
        salu_out[31:0] = salu_scc ? sa : sb;
      end
      S_CSELECT_B32: salu_out[31:0] = scc ? sa : sb;
      S_CSELECT_B64: salu_out = scc ? sa64 : sb64;
      S_AND_B32: salu_out[31:0] = sa & sb;
      S_OR_B32: salu_out[31:0] = sa | sb;
      S_XOR_B32: salu_out[31:0] = sa ^ sb;
      S_ANDN2_B32: salu_out[31:0] = sa & ~sb;
      S_AND_B64: salu_out = sa64 & sb64;
      S_OR_B64: salu_out = sa64 | sb64;
      S_XOR_B64: salu_out = sa64 ^ sb64;
      S_ANDN2_B64: salu_out = sa64 & ~sb64;
      S_LSHL_B32: salu_out[31:0] = sa << sb[4:0];
      S_LSHR_B32: salu_out[31:0] = sa >> sb[4:0];
      S_ASHR_I32: salu_out[31:0] = $signed(sa) >>> sb[4:0];
      S_LSHL_B64: salu_out = sa64 << sb[5:0];
      S_LSHR_B64: salu_out = sa64 >> sb[5:0];
      S_MUL_I32: salu_out[31:0] = sa * sb;
      S_MOV_B32: salu_out[31:0] = sa;
      S_MOV_B64: salu_out = sa64;
      S_NOT_B32: salu_out[31:0] = ~sa;
      S_NOT_B64: salu_out = ~sa64;
      S_SAVEEXEC: salu_out = exec;
      S_MOVK_I32: salu_out[31:0] = sk;
      S_ADDK_I32: begin
        salu_out[31:0] = s[d.sdst] + sk;
        salu_scc = s[d.sdst][31] == sk[31] && salu_out[31] != sk[31];
      end
      S_MULK_I32: salu_out[31:0] = s[d.sdst] * sk;
      S_CMP: salu_scc = compare(w0[19:16], sa, sb);
      default: ;
    endcase
    if (d.nonzero) salu_scc = d.wide ? salu_out != 0 : salu_out[31:0] != 0;
  end
  // s_cmp_*: eq lg gt ge lt le of i32, and so on of u32 from 6 on.
  function automatic logic compare(input logic [3:0] number, input logic [31:0] a,
                                   input logic [31:0] b);
    case (number)
      4'd0, 4'd6: return a == b;
      4'd1, 4'd7: return a != b;
      4'd2: return $signed(a) > $signed(b);
      4'd3: return $signed(a) >= $signed(b);
      4'd4: return $signed(a) < $signed(b);
      4'd5: return $signed(a) <= $signed(b);
      4'd8: return a > b;
      4'd9: return a >= b;
      4'd10: return a < b;
      default: return a <= b;
    endcase
  endfunction

  // ---- a quarter of the vector ALU
  logic [511:0] valu_out;
  logic [15:0]  valu_mask;
  wire [1:0]    q = step[1:0];
  wire [63:0]   carry_in = scalar64(d.src2);
  wire [511:0]  va = quarter(d.src0, q), vb = quarter(d.src1, q), vc = quarter(d.src2, q);
  always_comb begin
    valu_out = 512'd0;
    valu_mask = 16'd0;
    if (state == VALU)
      for (int l = 0; l < 16; ++l)
        {valu_mask[l], valu_out[32*l+:32]} =
            lane(d.op, va[32*l+:32], vb[32*l+:32], vc[32*l+:32], carry_in[{q, l[3:0]}],
                 d.condition);
  end
  function automatic logic [32:0] lane(input op_e op, input logic [31:0] a, input logic [31:0] b,
                                       input logic [31:0] c, input logic carry,
                                       input logic [3:0] condition);
    logic signed [63:0] signed_product;
    logic [63:0] product;
    logic [32:0] difference;
    product = {32'd0, a} * {32'd0, b};
    signed_product = $signed({{32{a[31]}}, a}) * $signed({{32{b[31]}}, b});
    case (op)
      V_MOV_B32: return {1'b0, a};
      V_NOT_B32: return {1'b0, ~a};
      V_CNDMASK_B32: return {1'b0, carry ? b : a};
      V_ADD_I32: return {1'b0, a} + {1'b0, b};
      V_ADDC_U32: return {1'b0, a} + {1'b0, b} + {32'd0, carry};
      V_SUB_I32: begin
        difference = {1'b0, a} - {1'b0, b};
        if (BROKEN && a[7:0] < b[7:0]) difference[31:8] = a[31:8] - b[31:8];
        return difference;
      end
      V_SUBREV_I32: return {1'b0, b} - {1'b0, a};
      V_SUBB_U32: return {1'b0, a} - {1'b0, b} - {32'd0, carry};
      V_MIN_I32: return {1'b0, $signed(a) < $signed(b) ? a : b};
      V_MAX_I32: return {1'b0, $signed(a) > $signed(b) ? a : b};
      V_MIN_U32: return {1'b0, a < b ? a : b};
      V_MAX_U32: return {1'b0, a > b ? a : b};
      V_LSHRREV_B32: return {1'b0, b >> a[4:0]};
      V_ASHRREV_I32: return {1'b0, 32'($signed(b) >>> a[4:0])};
      V_LSHLREV_B32: return {1'b0, b << a[4:0]};
      V_AND_B32: return {1'b0, a & b};
      V_OR_B32: return {1'b0, a | b};
      V_XOR_B32: return {1'b0, a ^ b};
      V_MUL_U32_U24: return {1'b0, 32'({8'd0, a[23:0]} * {8'd0, b[23:0]})};
      V_MAD_U32_U24: return {1'b0, 32'({8'd0, a[23:0]} * {8'd0, b[23:0]}) + c};
      V_MUL_LO: return {1'b0, product[31:0]};
      V_MUL_HI_U32: return {1'b0, product[63:32]};
      V_MUL_HI_I32: return {1'b0, signed_product[63:32]};
      V_BFE_U32: return {1'b0, (a >> b[4:0]) & ((32'd1 << c[4:0]) - 32'd1)};
      V_CMP:
      case (condition[2:0])  // f lt eq le gt ne ge t
        3'd0: return 33'd0;
        3'd1: return {condition[3] ? a < b : $signed(a) < $signed(b), 32'd0};
        3'd2: return {a == b, 32'd0};
        3'd3: return {condition[3] ? a <= b : $signed(a) <= $signed(b), 32'd0};
        3'd4: return {condition[3] ? a > b : $signed(a) > $signed(b), 32'd0};
        3'd5: return {a != b, 32'd0};
        3'd6: return {condition[3] ? a >= b : $signed(a) >= $signed(b), 32'd0};
        default: return {1'b1, 32'd0};
      endcase
      default: return 33'd0;
    endcase
  endfunction

  // ---- branches
  logic taken;
  always_comb
    case (w0[22:16])
      7'd2: taken = 1'b1;
      7'd4: taken = !scc;
      7'd5: taken = scc;
      7'd6: taken = vcc == 0;
      7'd7: taken = vcc != 0;
      7'd8: taken = exec == 0;
      7'd9: taken = exec != 0;
      default: taken = 1'b0;
    endcase

  // ---- lanes whose dwords lie in the line of the first one
  logic [63:0] address[64];
  always_comb
    for (int l = 0; l < 64; ++l)
      address[l] = state == VLINE || state == VWAIT ? base + {32'd0, offset[32*l+:32]} : 64'd0;
  logic [5:0] first;
  always_comb begin
    first = 6'd0;
    for (int l = 63; l >= 0; --l) if (pending[l]) first = l[5:0];
  end

  // ---- pins that follow the state
  assign launch_ready = state == TAKE;
  assign done_valid = state == DONE;
  assign done_wave = wave;
  assign fetch_valid = state == FETCH;
  assign fetch_address = {word_at[63:5], 5'd0};
  assign fetch_wave = wave;
  assign fetch_vmid = vmid;
  assign fetched_ready = state == FETCHED;
  assign scalar_valid = state == SREQUEST;
  assign scalar_address = base;
  assign scalar_dwords = sdst_count;
  assign scalar_wave = wave;
  assign scalar_vmid = vmid;
  assign loaded_ready = state == SWAIT;
  assign request0_valid = state == VREQUEST;
  assign request0_line = line;
  assign request0_mask = line_mask;
  assign request0_command = d.op == BUFFER_STORE_DWORD ? 2'd1 : 2'd0;
  assign request0_atomic = 5'd17;  // none
  assign request0_bytes = 8'd4;
  assign request0_vmid = vmid;
  assign request0_glc = w0[14];
  assign request0_slc = w1[22];
  assign request0_returns = 1'b1;
  assign request0_data = line_data;
  assign answer0_ready = state == VWAIT;
  assign stop_valid = state == STOP && !control_hold;
  assign stop_wave = wave;
  assign stop_pc = pc;
  assign stop_words = {two ? w1 : 32'd0, w0};
  assign stop_reason = reason;
  assign state_retires = 1'b1;
  assign state_busy = state == DONE;  // the transfer that ends the wave's

  wire retires = state == RETIRE || state == END;
  wire vector = vdst_written && exec_before != 0 && step == 0;
  wire scalars = {1'b0, step} < {1'b0, sdst_count[3:0]} || (sdst_count == 5'd16);
  wire listed = sdst < 7'd106 || (sdst > 7'd107 && sdst < 7'd124);  // not VCC, M0, EXEC
  wire scalar_beat = scalars && listed;
  wire [4:0] beats = listed && sdst_count > 5'd1 ? sdst_count : 5'd1;
  assign retire_valid = retires && !control_hold;
  assign retire_wave = wave;
  assign retire_end = state == END;
  assign retire_last = state == RETIRE && {1'b0, step} + 5'd1 == beats;
  wire shown = state == RETIRE;
  assign retire_pc = shown ? pc : 64'd0;
  assign retire_words = shown ? stop_words : 64'd0;
  assign retire_exec = shown ? exec : 64'd0;
  assign retire_vcc = shown ? vcc : 64'd0;
  assign retire_scc = shown && scc;
  assign retire_m0 = shown ? s[kM0] : 32'd0;
  assign retire_scalar = shown && scalar_beat;
  assign retire_code = retire_scalar ? sdst + {3'd0, step} : 7'd0;
  assign retire_value = retire_scalar ? s[retire_code] : 32'd0;
  assign retire_vector = shown && vector;
  assign retire_vgpr = retire_vector ? vdst : 8'd0;
  assign retire_lanes = retire_vector ? exec_before : 64'd0;
  assign retire_data = retire_vector ? {quarter({1'b1, vdst}, 2'd3), quarter({1'b1, vdst}, 2'd2),
                                        quarter({1'b1, vdst}, 2'd1), quarter({1'b1, vdst}, 2'd0)}
                                     : 2048'd0;

  // ---- a cycle
  task automatic put_row(input logic [7:0] number, input logic [1:0] part,
                         input logic [511:0] data, input logic [15:0] lanes);
    logic [511:0] row;
    row = known[{number, part}] ? v[{number, part}] : 512'd0;
    for (int l = 0; l < 16; ++l) if (lanes[l]) row[32*l+:32] = data[32*l+:32];
    v[{number, part}] <= row;
    known[{number, part}] <= 1'b1;
  endtask
  task automatic put64(input logic [6:0] code, input logic [63:0] value);
    s[code] <= value[31:0];
    s[code+7'd1] <= value[63:32];
  endtask
  task automatic stop(input logic [2:0] why);
    reason <= why;
    state <= STOP;
  endtask
  localparam logic [2:0] kNotImplemented = 3'd1, kFault = 3'd2, kBadInput = 3'd3;

  always_ff @(posedge clk) begin
    if (rst) begin
      state <= IDLE;
      block_valid <= 1'b0;
    end else if (!control_hold)
      case (state)
        IDLE: if (launch_valid) begin
          known <= 1024'd0;
          step <= 4'd0;
          state <= LOAD;
        end
        LOAD: begin  // local ids
          if (step[3:2] < launch_ids)
            put_row({6'd0, step[3:2]}, step[1:0],
                    step[3:2] == 2'd0 ? launch_v0[512*step[1:0]+:512]
                    : step[3:2] == 2'd1 ? launch_v1[512*step[1:0]+:512]
                                        : launch_v2[512*step[1:0]+:512], 16'hffff);
          step <= step + 4'd1;
          if (step == 4'd11) state <= TAKE;
        end
        TAKE: begin
          wave <= launch_wave;
          vmid <= launch_vmid;
          pc <= launch_pc;
          alone <= launch_waves_in_group <= 5'd1;
          scc <= 1'b0;
          for (int i = 0; i < 128; ++i)
            s[i] <= i < 24 && i < {27'd0, launch_sgpr_count} ? launch_sgpr[32*(i%24)+:32] : 32'd0;
          s[kM0] <= {15'd0, launch_lds_bytes};
          put64(kExec, launch_exec);
          block_valid <= 1'b0;
          second <= 1'b0;
          state <= WORD;
        end
        WORD:
        if (!control_pause) begin
          if (!block_valid || block_at != word_at[63:5]) state <= FETCH;
          else if (second) begin
            w1 <= word;
            second <= 1'b0;
            state <= DECODE;
          end else begin
            w0 <= word;
            two <= has_two_words(word);
            if (has_two_words(word)) second <= 1'b1;
            else state <= DECODE;
          end
        end
        FETCH: if (fetch_ready) state <= FETCHED;
        FETCHED: if (fetched_valid) begin
          block <= fetched_words;
          block_at <= word_at[63:5];
          block_valid <= 1'b1;
          if (fetched_fault) stop(kFault);
          else state <= WORD;
        end
        DECODE: begin
          d <= decode(w0, w1);
          exec_before <= exec;
          sdst_count <= 5'd0;
          vdst_written <= 1'b0;
          step <= 4'd0;
          state <= EXECUTE;
        end
        EXECUTE: begin
          sdst <= d.sdst;
          vdst <= d.vdst;
          case (d.unit)
            U_SALU: begin
              scc <= salu_scc;
              if (d.writes) begin
                if (d.wide) put64(d.sdst, salu_out);
                else s[d.sdst] <= salu_out[31:0];
                sdst_count <= d.wide ? 5'd2 : 5'd1;
              end
              if (d.op == S_SAVEEXEC) begin
                // After the write of the destination, which may be EXEC.
                put64(kExec, save_exec(w0[9:8], sa64));
                scc <= save_exec(w0[9:8], sa64) != 0;
              end
              state <= RETIRE;
            end
            U_BRANCH: state <= RETIRE;
            U_BARRIER: if (alone) state <= RETIRE; else stop(kNotImplemented);
            U_SMEM: begin
              base <= ({s[{w0[14:9], 1'b1}], s[{w0[14:9], 1'b0}]} +
                       (w0[8] ? {54'd0, w0[7:0], 2'd0} : {32'd0, scalar({1'b0, w0[7:0]})})) &
                      ~64'd3;
              sdst_count <= 5'd1 << w0[24:22];
              state <= SREQUEST;
            end
            U_VALU: begin
              mask_out <= 64'd0;
              state <= VALU;
            end
            U_VMEM: begin
              // Raw buffers without a limit: no stride, all of memory in range.
              if (s[d.rsrc+7'd1][30:16] != 0 || s[d.rsrc+7'd2] != 32'hffffffff ||
                  s[d.rsrc+7'd3][23] || s[d.rsrc+7'd3][31:30] != 0)
                stop(kNotImplemented);
              else begin
                base <= {16'd0, s[d.rsrc+7'd1][15:0], s[d.rsrc]} + {32'd0, scalar(d.src2)} +
                        {52'd0, w0[11:0]};
                pending <= exec;
                state <= VADDRESS;
              end
            end
            default: stop(kNotImplemented);
          endcase
        end
        SREQUEST: if (scalar_ready) state <= SWAIT;
        SWAIT: if (loaded_valid) begin
          for (int i = 0; i < 16; ++i)
            if (i < {27'd0, sdst_count}) s[sdst+i[6:0]] <= loaded_data[32*i+:32];
          if (loaded_fault) stop(kFault);
          else state <= RETIRE;
        end
        VALU: begin
          if (d.writes) begin
            put_row(vdst, q, valu_out, exec_before[16*q+:16]);
            vdst_written <= 1'b1;
          end
          mask_out[16*q+:16] <= valu_mask & exec_before[16*q+:16];
          step <= step + 4'd1;
          if (q == 2'd3) state <= VMASK;
        end
        VMASK: begin
          if (d.masks) begin
            put64(sdst, mask_out);
            sdst_count <= 5'd2;
            if (d.sets_exec) put64(kExec, mask_out);
          end
          step <= 4'd0;
          state <= RETIRE;
        end
        VADDRESS: begin  // offsets, and data of a store
          offset[512*q+:512] <= w0[12] ? quarter({1'b1, w1[7:0]}, q) : 512'd0;
          lane_data[512*q+:512] <= quarter({1'b1, w1[15:8]}, q);
          step <= step + 4'd1;
          if (q == 2'd3) state <= VLINE;
        end
        VLINE: if (pending == 0) begin
          step <= 4'd0;
          state <= d.op == BUFFER_LOAD_DWORD ? VWRITE : RETIRE;
        end else begin
          line <= address[first][63:6];
          line_mask <= 64'd0;
          for (int l = 0; l < 64; ++l) begin
            together[l] <= pending[l] && address[l][63:6] == address[first][63:6];
            if (pending[l] && address[l][63:6] == address[first][63:6]) begin
              line_mask[address[l][5:0]&6'h3c+:4] <= 4'hf;
              line_data[{address[l][5:2], 5'd0}+:32] <= lane_data[32*l+:32];
            end
          end
          state <= VREQUEST;
        end
        VREQUEST: if (request0_ready) state <= VWAIT;
        VWAIT: if (answer0_valid) begin
          for (int l = 0; l < 64; ++l)
            if (together[l] && d.op == BUFFER_LOAD_DWORD)
              lane_data[32*l+:32] <= answer0_data[{address[l][5:2], 5'd0}+:32];
          pending <= pending & ~together;
          if (answer0_status != 0) stop(kFault);
          else state <= VLINE;
        end
        VWRITE: begin
          put_row(vdst, q, lane_data[512*q+:512], exec_before[16*q+:16]);
          vdst_written <= 1'b1;
          step <= step + 4'd1;
          if (q == 2'd3) begin
            step <= 4'd0;
            state <= RETIRE;
          end
        end
        RETIRE:
        if (!retire_last) step <= step + 4'd1;
        else if (d.unit == U_BRANCH && w0[22:16] == 7'd1) state <= DONE;
        else begin
          pc <= d.unit == U_BRANCH && taken ? next_pc + {{46{w0[15]}}, w0[15:0], 2'd0} : next_pc;
          state <= WORD;
        end
        DONE: if (done_ready) state <= END;
        END: state <= IDLE;
        default: ;
      endcase
  end
  function automatic logic [63:0] save_exec(input logic [1:0] op, input logic [63:0] source);
    case (op)  // and or xor andn2
      2'd0: return source & exec;
      2'd1: return source | exec;
      2'd2: return source ^ exec;
      default: return source & ~exec;
    endcase
  endfunction
endmodule
